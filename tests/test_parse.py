"""Bytes to nodes."""

import pytest

from longleaf.errors import EmptyDocument, NotHtml, TooLarge
from longleaf.nesting import MAX_DEPTH
from longleaf.parse import decode, parse
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document

WORDS = "café – 12 €"


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        (WORDS.encode(), None),
        (WORDS.encode("utf-8-sig"), None),
        (b"\xff\xfe" + WORDS.encode("utf-16-le"), None),
        (b"\xfe\xff" + WORDS.encode("utf-16-be"), None),
        (WORDS.encode("cp1252"), None),
        (b"<meta charset=latin1>" + WORDS.encode("cp1252"), None),
        (WORDS.encode("cp1252"), "iso-8859-1"),
        (b'<meta charset="utf-16">' + WORDS.encode(), None),
        (b'<meta charset="no-such">' + WORDS.encode(), None),
        (b"<meta charset=latin1>" + WORDS.encode(), "utf-8"),
        (b"<meta charset=iso-2022-kr>" + WORDS.encode(), None),
        (b"<meta charset=x-user-defined>" + WORDS.encode(), "replacement"),
    ],
)
def test_decoding_as_browsers_do(data, charset):
    assert decode(data, charset).endswith(WORDS)


def test_declared_encodings_win_over_guesses():
    text = "会议于上午九时开始"
    assert text in decode(b"<meta http-equiv=x content='text/html;charset=gb2312'>" + text.encode("gb18030"))
    assert "Ж" in decode(b'<?xml version="1.0" encoding="windows-1251"?>' + "Ж".encode("cp1251"))


def test_title_language_and_order_of_nodes():
    page = parse(Document.from_html("<html lang=de><title> A  b </title><p>c<!--d--><b>e</b></p>"))
    assert (page.document.title, page.document.lang) == ("A b", "de")
    nodes = page.nodes
    assert all(nodes.parent[n] < n < nodes.end[n] for n in range(1, len(nodes)))
    assert "#comment" in nodes.tag


def test_nested_documents_are_part_of_the_page():
    frame = '<iframe srcdoc="&lt;p&gt;inner&lt;/p&gt;"></iframe>'
    html = f"{frame}<template shadowrootmode=open><i>shadow</i></template>"
    text = to_text(parse(Document.from_html(html)).nodes)
    assert "inner" in text
    assert "shadow" in text


@pytest.mark.parametrize("count", [MAX_DEPTH - 1, MAX_DEPTH + 500, 50_000])
def test_deep_nesting_keeps_all_text(count):
    html = "".join(f"<div>w{n} " for n in range(count)) + "</div>" * count + "<p>after</p>"
    text = to_text(parse(Document.from_html(html)).nodes).split()
    assert text == [f"w{n}" for n in range(count)] + ["after"]


def test_one_long_text_and_many_siblings():
    assert len(to_text(parse(Document.from_html("<p>" + "word " * 200_000)).nodes).split()) == 200_000
    assert to_text(parse(Document.from_html("<i>a</i> " * 20_000)).nodes).count("a") == 20_000


def test_code_survives_a_round_trip():
    html = "<pre>\n\n  a\tb &lt;c&gt;\n\n</pre>"
    nodes = parse(Document.from_html(html)).nodes
    again = parse(Document.from_html(to_html(nodes))).nodes
    assert to_text(nodes) == to_text(again)
    assert "\n  a\tb <c>\n\n" in "".join(again.text)


@pytest.mark.parametrize("data", [b"", b" \n\t "])
def test_empty(data):
    with pytest.raises(EmptyDocument, match="here"):
        parse(Document.from_bytes(data, "here.html"))


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7", b"PK\x03\x04zip", b"\x89PNG\r\n", bytes(range(256)), b"a\x00" * 200]
)
def test_binary(data):
    with pytest.raises(NotHtml, match="here"):
        parse(Document.from_bytes(data, "here.html"))


def test_over_the_limit_names_the_limit(monkeypatch):
    import importlib

    monkeypatch.setattr(importlib.import_module("longleaf.parse"), "MAX_PAGE_BYTES", 100)
    with pytest.raises(TooLarge, match="limit of 100 bytes"):
        parse(Document.from_bytes(b"<p>" + b"x" * 100, "big.html"))


@pytest.mark.parametrize("html", ["word", "<p>word", "\ufeffword", "<td>word"])
def test_a_page_of_one_word(html):
    assert to_text(parse(Document.from_html(html)).nodes) == "word"


@pytest.mark.parametrize("charset", [None, "utf-8", "no-such-charset", "utf-16", "ascii"])
def test_bytes_that_are_valid_in_no_encoding_still_give_their_text(charset):
    page = parse(Document.from_bytes(b"<p>before \xff\xfe\x81 after</p>", "odd.html", charset))
    text = to_text(page.nodes)
    assert text.startswith("before ")
    assert text.endswith(" after")


def test_a_few_controls_are_no_binary_file():
    assert to_text(parse(Document.from_bytes(b"<p>a\x00b\x01c</p>")).nodes).startswith("ab")
