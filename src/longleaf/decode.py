"""Bytes to characters, as browsers read them: what a page declares, UTF-8, and else what its bytes look like.

The only module that knows encodings. A mark at the start wins, then what HTTP said, then what the page
says of itself, then UTF-8 where the bytes are that; a page that declares nothing, or what its bytes
contradict, is left to a detector of the encodings of the web.
"""

from __future__ import annotations

import codecs
import re

# A longer mark first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Browsers look through 1,024 bytes before they parse, and begin anew where a parser finds one later.
_META_BYTES = 1 << 18
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.\-]+)", re.I)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([a-zA-Z0-9_:.\-]+)", re.I)
_NO_META = re.compile(rb"<!--.*?-->|<(script|style|title|textarea|noscript)\b.*?</\1\s*>", re.S | re.I)
_BODY = re.compile(rb"<body[\s>]", re.I)

# Python's codecs that read all that browsers read under these names (Encoding standard, chapters 10 to 14).
_WIDER = {
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "big5": "big5hkscs",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
}
_SHIFTS = (b"\x1b$B", b"\x1b$@")
_HIGH = re.compile(rb"[\x80-\xff]")
# Only scripts of their own fill words with high bytes; in Latin ones these stand alone.
_RUN = re.compile(rb"[\x80-\xff]{3}")
# Fewer of these tell no language from another; most pages that are left are Western.
_FEW = 3
_LATIN = frozenset(
    "cp1250 cp1252 cp1254 cp1257 cp1258 iso8859-2 iso8859-3 iso8859-10 iso8859-13 iso8859-16".split()
)
# What stands between no two letters in the encoding a text was written in: signs that a Latin alphabet of
# another encoding has letters for ("¾" for "ž", "»" for "ť"), and controls of the upper half.
_MISREAD = re.compile(r"(?<=[^\W\d_])[©®«»¼½¾¹²³ªº§¶±°¤¦¨¬¯¸÷×‹›™‰˘˛˙˝ˇ\x80-\x9f\ufffd](?=[^\W\d_])")
_CENTRAL = ("iso8859-2", "cp1250")
# So much text tells an encoding (chardet's own limit); a little of what is before shows the language.
_TELLING, _BEFORE = 200_000, 2_000
# UTF-16 without a mark shows by its markup: half of its bytes are NUL, all at one side.
_WIDE_SAMPLE, _WIDE_SHARE = 512, 0.3
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_REPAIR = "longleaf.western"


def decode(data: bytes, charset: str | None = None) -> str:
    """Return the text of a page: by BOM, ``charset``, ``<meta>``, as UTF-8, or as what it looks like."""
    return _decoded(data, [*([charset] if charset else []), *_declared(data)])


def decode_text(data: bytes, charset: str | None = None) -> str:
    """Return the characters of a text that is no page: a ``<meta>`` in it is its subject matter."""
    return _decoded(data, [charset] if charset else [])


def is_wide(data: bytes) -> bool:
    """Return whether these are characters of two or four bytes, so that NULs say nothing."""
    return data.startswith(tuple(mark for mark, name in _MARKS if name != "utf-8")) or _wide_codec(data) != ""


def _decoded(data: bytes, labels: list[str]) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    for label in labels:
        codec = _codec(label)
        # A page that can be read as ASCII bytes cannot be UTF-16, whatever it says of itself.
        if codec is None or (codec.startswith("utf-16") and b"\x00" not in data[:1024]):
            continue
        if codec != "utf-8":
            return data.decode(codec, "replace")
        break
    wide = _wide_codec(data)
    return data.decode(wide, "replace") if wide else _utf8(data) or _guessed(data)


def _declared(data: bytes) -> list[str]:
    """Return the encodings that a page names, in order."""
    head = data[:_META_BYTES]
    body = _BODY.search(head)
    head = _NO_META.sub(b"", head[: body.start()] if body else head)
    found = (_XML_ENCODING.search(head), _META_CHARSET.search(head))
    return [match.group(1).decode("ascii") for match in found if match]


def _codec(label: str) -> str | None:
    import webencodings

    encoding = webencodings.lookup(label)
    if encoding is None:
        return None
    try:
        # "replacement" and "x-user-defined" are labels of the web that Python has no codec for.
        name = codecs.lookup(encoding.codec_info.name).name
    except LookupError:
        return None
    return _WIDER.get(name, name)


def _wide_codec(data: bytes) -> str:
    """Return the codec of UTF-16 without a mark, or nothing."""
    sample = data[:_WIDE_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    enough = _WIDE_SHARE * len(sample)
    if min(even, odd) or max(even, odd) * 2 < enough or not sample:
        return ""
    name = "utf-16-le" if odd else "utf-16-be"
    shown = sample.decode(name, "replace")
    return name if all(c.isprintable() or c.isspace() for c in shown[:-1]) else ""


def _utf8(data: bytes) -> str:
    """Return the text where the bytes are UTF-8, a few of another kind read as cp1252; else nothing."""
    try:
        if not any(shift in data for shift in _SHIFTS):
            return data.decode("utf-8")
        return data.decode("iso2022_jp")
    except UnicodeDecodeError:
        valid = data.decode("utf-8", "ignore")
    good = sum(map(len, _BEYOND_ASCII.findall(valid)))
    bad = data.decode("utf-8", "replace").count("\ufffd") - valid.count("\ufffd")
    return data.decode("utf-8", _REPAIR) if good >= bad else ""


def _western(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are no UTF-8 as what editors of the time wrote; one that was cut off is lost."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    is_cut = "end of data" in error.reason and len(wrong) > 1
    return "\ufffd" if is_cut else wrong.decode("cp1252", "replace"), error.end


codecs.register_error(_REPAIR, _western)


def _guessed(data: bytes) -> str:
    import chardet

    first = _HIGH.search(data)
    start = max(0, first.start() - _BEFORE) if first else 0
    sample = data[start : start + _TELLING]
    era = chardet.EncodingEra
    found = chardet.detect(sample, encoding_era=era.MODERN_WEB | era.LEGACY_ISO)["encoding"]
    name = codecs.lookup(found).name if found else "cp1252"
    few = len(_HIGH.findall(sample)) < _FEW
    if name == "utf-8" or (not _RUN.search(sample) and (few or name not in _LATIN)):
        name = "cp1252"
    if name in _LATIN or name == "cp1252":
        name = min(name, *_CENTRAL, key=lambda codec: _misread(sample, codec))
    return data.decode(_WIDER.get(name, name), "replace")


def _misread(sample: bytes, codec: str) -> int:
    """Return how often a sign stands inside a word, were this the encoding: it is another one then."""
    return len(_MISREAD.findall(sample.decode(codec, "replace")))
