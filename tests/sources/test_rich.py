"""Word, EPUB, Markdown, plain text, mail and saved pages: what becomes of each, and how bad ones end."""

import builtins
import io
import sys
import zipfile

import pytest

import longleaf
from longleaf.clean import clean
from longleaf.errors import EmptyDocument, MissingExtra, NotHtml, TooLarge, Unreadable
from longleaf.index.memory import MemoryIndex
from longleaf.serialise.text import to_text
from longleaf.sources import listing, one_document
from longleaf.sources.rich import document, format_of
from sources.rich_files import docx, epub, packed, paragraph, raw_pdf, shown, table


def page_of(data, name):
    return clean(document(data if isinstance(data, bytes) else data.encode(), name))


def text_of(data, name):
    return to_text(page_of(data, name).nodes)


def elements(page):
    """Return (tag, id, text) of what has an id."""
    nodes = page.nodes
    named = [n for n in range(len(nodes)) if nodes.attrs[n].get("id")]
    return [(nodes.tag[n], nodes.attrs[n]["id"], to_text(nodes, n, nodes.end[n])) for n in named]


# Word

REPORT = docx(
    paragraph("Survey of ponds", "Heading1")
    + paragraph("The survey was made in spring.")
    + table([("Pond", "Depth"), ("North", "3 m"), ("South", "5 m")])
    + paragraph("Conclusions", "Heading2")
    + "<w:p><w:bookmarkStart w:id='0' w:name='_GoBack'/>"
    + "<w:r><w:t xml:space='preserve'>The south pond is the deepest. </w:t></w:r>"
    + "<w:r><w:t>It never freezes, because E</w:t></w:r><m:oMath><m:r><m:t>=mc</m:t></m:r></m:oMath></w:p>"
)


def test_word_paragraphs_headings_and_tables_are_numbered():
    assert elements(page_of(REPORT, "r.docx")) == [
        ("h1", "paragraph-1", "Survey of ponds"),
        ("p", "paragraph-2", "The survey was made in spring."),
        ("table", "paragraph-3", "Pond\tDepth\nNorth\t3 m\nSouth\t5 m"),
        ("h2", "paragraph-4", "Conclusions"),
        ("p", "paragraph-5", "The south pond is the deepest. It never freezes, because E=mc"),
    ]


def test_a_word_document_is_cited_by_paragraph(tmp_path):
    (tmp_path / "r.docx").write_bytes(REPORT)
    answer = longleaf.ask("Which pond is the deepest?", str(tmp_path / "r.docx"))
    assert [c.anchor for c in answer.citations if "deepest" in c.quote] == ["paragraph-5"]


def test_nothing_outside_a_word_document_is_opened(monkeypatch):
    picture = (
        '<w:p><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'r:link="r9"/></w:drawing></w:r></w:p>'
    )
    relations = """<?xml version="1.0"?><Relationships
xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
Id="r9" TargetMode="External" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
Target="file:///etc/hostname"/>
</Relationships>"""
    data = docx(paragraph("Said.") + picture, **{"word/_rels/document.xml.rels": relations})
    real = builtins.open
    monkeypatch.setattr(
        builtins, "open", lambda f, *a, **k: pytest.fail(f) if "hostname" in str(f) else real(f, *a, **k)
    )
    assert text_of(data, "x.docx") == "Said."


def test_what_word_does_not_show_is_hidden_text():
    runs = (
        "<w:r><w:t>Seen</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r>"
        '<w:r><w:rPr><w:vanish w:val="false"/></w:rPr><w:t> too</w:t></w:r>'
    )
    mark = "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>"
    page = clean(document(docx(f"<w:p>{runs}</w:p><w:p>{mark}<w:r><w:t>end</w:t></w:r></w:p>"), "v.docx"))
    assert to_text(page.nodes) == "Seen too\nend"
    assert [(r.reason, r.chars) for r in page.removed] == [("hidden: attribute", 6)]


def test_old_and_protected_word_files_are_named_as_such():
    with pytest.raises(Unreadable, match=r"old\.docx.*password"):
        document(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old.docx")
    with pytest.raises(EmptyDocument, match="no text"):
        document(docx(paragraph(" ")), "blank.docx")
    with pytest.raises(Unreadable, match=r"cut\.docx"):
        document(REPORT[:-200], "cut.docx")
    with pytest.raises(Unreadable, match=r"odd\.docx"):
        document(docx("<w:p><w:r><w:t>never closed"), "odd.docx")


# EPUB

BOOK = epub(
    [
        "<h1>The well</h1><p>It is behind the house.</p><p>See <a href='c2.xhtml#rope'>the rope</a>.</p>",
        "<h1>The rope</h1><p>Some words.</p><p id='rope'>The rope is forty metres long.</p></div></section>",
        "<p>The bucket was made of oak.</p>",
    ],
    "Wells &amp; ropes",
)


def test_chapters_stand_in_reading_order_and_name_themselves():
    page = page_of(BOOK, "b.epub")
    assert [i for _, i, _ in elements(page)] == [
        "chapter=1", "chapter=1&paragraph=1", "chapter=1&paragraph=2", "chapter=1&paragraph=3",
        "chapter=2", "chapter=2&paragraph=1", "chapter=2&paragraph=2", "chapter=2&paragraph=3",
        "chapter=3", "chapter=3&paragraph=1",
    ]  # fmt: skip
    assert page.document.title == "Wells & ropes" and page.document.lang == "en"
    assert 'href="#chapter=2"' in document(BOOK, "b.epub").data.decode()


def test_a_book_is_cited_by_chapter_and_paragraph(tmp_path):
    (tmp_path / "b.epub").write_bytes(BOOK)
    answer = longleaf.ask("How long is the rope?", str(tmp_path / "b.epub"))
    assert "chapter=2&paragraph=3" in [c.anchor for c in answer.citations if "forty" in c.quote]


def test_a_protected_book_is_named_as_such():
    lock = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:CipherData><e:CipherReference URI="{}"/>
</e:CipherData></e:EncryptedData></encryption>"""
    chapter = {"META-INF/encryption.xml": lock.format("OEBPS/text/c1.xhtml")}
    with pytest.raises(Unreadable, match="DRM"):
        document(epub(["<p>a</p>"], **chapter), "b.epub")
    font = {"META-INF/encryption.xml": lock.format("OEBPS/font.otf")}
    assert text_of(epub(["<p>free</p>"], **font), "b.epub").endswith("free")


def test_a_book_of_pictures_has_no_text():
    with pytest.raises(EmptyDocument, match="no text"):
        document(epub(["<div><img src='1.png'/></div>" * 0, " "]), "b.epub")


@pytest.mark.parametrize("kind", ["b.epub", "b.docx"])
def test_containers_that_burst_are_refused_before_they_do(kind, monkeypatch):
    from longleaf.sources.rich import docx as word
    from longleaf.sources.rich import packed as module

    monkeypatch.setattr(word, "MAX_XML_BYTES", 200_000)
    made = epub(["<p>" + "a" * 300_000 + "</p>"]) if kind == "b.epub" else docx(paragraph("a" * 300_000))
    assert len(made) < 5_000
    monkeypatch.setattr(module, "MAX_PAGE_BYTES", 200_000)
    with pytest.raises(TooLarge, match="limit of 200000 bytes"):
        document(made, kind)
    monkeypatch.setattr(module, "MAX_PARTS", 3)
    with pytest.raises(TooLarge, match="over the limit of 3"):
        document(made, kind)


def test_xml_that_multiplies_is_refused():
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "xxxxxxxxxx">]><a>&x;</a>'
    for part, name in (("META-INF/container.xml", "b.epub"), ("OEBPS/book.opf", "b.epub")):
        with pytest.raises(Unreadable, match="entities"):
            document(epub(["<p>a</p>"], **{part: bomb}), name)
    for data in (bomb, bomb.encode("utf-16")):
        with pytest.raises(Unreadable, match="entities"):
            document(docx("", **{"word/styles.xml": data}), "b.docx")


def test_a_header_that_lies_about_a_part_is_no_way_around_the_limit():
    whole = epub(["<p>" + "a" * 50_000 + "</p>"])
    info = zipfile.ZipFile(io.BytesIO(whole)).getinfo("OEBPS/text/c1.xhtml")
    lying = whole.replace(info.file_size.to_bytes(4, "little"), (90).to_bytes(4, "little"))
    assert lying != whole
    with pytest.raises(Unreadable, match=r"b\.epub"):
        document(lying, "b.epub")


def test_a_zip_that_is_neither_stays_refused():
    with pytest.raises(NotHtml):
        clean(document(packed({"a.txt": "a"}), "a.bin"))
    with pytest.raises(Unreadable, match="no EPUB file"):
        document(packed({"a.txt": "a"}), "a.epub")
    with pytest.raises(Unreadable, match=r"META-INF/container\.xml names no book"):
        document(packed({"META-INF/container.xml": "<a/>"}), "a.epub")


# Markdown

NOTES = """---
title: "Pond notes"
draft: true
---
# Ponds & `pools`

Some ~~old~~ text with a <b>raw</b> tag.

## Depth

| Pond | Depth |
|------|-------|
| North | 3 m |

## Depth

- one
- two

    indented = code
"""


def test_markdown_is_read_with_tables_and_headings_named_as_their_links_are():
    page = page_of(NOTES, "n.md")
    assert [(t, i) for t, i, _ in elements(page)] == [
        ("h1", "ponds--pools"),
        ("h2", "depth"),
        ("h2", "depth-1"),
    ]
    tags = set(page.nodes.tag)
    assert {"table", "th", "td", "ul", "li", "b", "s"} <= tags
    assert page.document.title == "Pond notes" and "draft" not in to_text(page.nodes)
    assert "Pond\tDepth\nNorth\t3 m" in to_text(page.nodes)


def test_a_rule_is_no_front_matter_and_quotes_in_quotes_lose_nothing():
    assert text_of("---\nSome words\n\n---\nmore\n", "n.md").split() == ["Some", "words", "more"]
    assert text_of("> " * 60 + "deep\n", "n.md") == "deep"
    nested = "".join("  " * n + f"- word{n}\n" for n in range(300))
    assert all(f"word{n}" in text_of(nested, "n.md").split() for n in (0, 74, 75, 299))


def test_markdown_is_cited_by_heading(tmp_path):
    (tmp_path / "n.md").write_text(
        "# Lamp\n\nAn intro.\n\n## How bright\n\nThe lamp gives 800 lumens at full power.\n"
    )
    answer = longleaf.ask("How bright is the lamp at full power?", str(tmp_path))
    assert [c.anchor for c in answer.citations if "800" in c.quote] == ["how-bright"]


# Plain text

MEMO = """   Title of the memo
   =================

   This memo tells in two lines what
   a gauge is & when it is <read>.

      name     unit
      -----    ----
      level    metre

   Last words.
"""


def test_plain_text_keeps_paragraphs_columns_and_every_word():
    page = page_of(MEMO, "m.txt")
    assert elements(page) == [
        ("h1", "paragraph-1", "Title of the memo"),
        ("p", "paragraph-2", "This memo tells in two lines what a gauge is & when it is <read>."),
        ("pre", "paragraph-3", "      name     unit\n      -----    ----\n      level    metre"),
        ("p", "paragraph-4", "Last words."),
    ]


def test_text_that_is_a_page_stays_one_and_binary_is_refused():
    assert text_of("<p>one</p>", "saved.txt") == "one"
    assert text_of("naïve café".encode("cp1252"), "old.txt") == "naïve café"
    assert text_of("about <meta charset=latin1> и", "about.txt") == "about <meta charset=latin1> и"
    assert text_of("\ufeffwide".encode("utf-16-le"), "wide.txt") == "wide"
    with pytest.raises(NotHtml, match=r"b\.txt: binary"):
        document(bytes(range(256)) * 9, "b.txt")
    with pytest.raises(EmptyDocument):
        document(b" \n", "b.txt")


# Mail and saved pages

MAIL = b"""From: =?utf-8?q?J=C3=B6rg?= <j@example.org>
To: all@example.org
Subject: Gate times
Date: Mon, 1 Jan 2024 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: multipart/alternative; boundary=A

--A
Content-Type: text/plain; charset=utf-8

plain version
--A
Content-Type: text/html; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

<table><tr><td><p>The gate closes at eight caf=E9 time.</p></td></tr></table><script>x()</script>
--A--
--B
Content-Type: application/pdf; name="plan.pdf"
Content-Disposition: attachment; filename="plan.pdf"
Content-Transfer-Encoding: base64

AAAA
--B
Content-Type: message/rfc822

From: k@example.org
Subject: Earlier

The gate used to close at nine.

--B--
"""


def test_a_mail_is_its_headers_its_html_its_attachments_by_name_and_what_was_forwarded():
    page = page_of(MAIL, "m.eml")
    text = to_text(page.nodes)
    for said in ("Jörg <j@example.org>", "The gate closes at eight café time.", "plan.pdf", "k@example.org"):
        assert text.count(said) == 1
    assert "plain version" not in text and "AAAA" not in text
    marks = {said: i for tag, i, said in elements(page) if tag == "p"}
    assert marks["The gate closes at eight café time."] == "paragraph-2"
    assert page.document.title == "Gate times"


def test_a_mail_is_cited_by_paragraph(tmp_path):
    (tmp_path / "m.eml").write_bytes(MAIL)
    answer = longleaf.ask("When did the gate use to close?", str(tmp_path / "m.eml"))
    assert [c.anchor for c in answer.citations if "nine" in c.quote] == ["paragraph-4"]


def test_of_alternatives_the_text_is_taken_where_the_html_says_nothing():
    silent = MAIL.replace(b"<p>The gate closes at eight caf=E9 time.</p>", b"<img src=3D'cid:1'>")
    assert "plain version" in text_of(silent, "m.eml")


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02 no headers at all",
        b"From: a\nSubject: =?x-none?q?=ff?=\nContent-Type: text/plain; charset=x-none\n\nbody \xff\n",
        b"From: a\nContent-Type: multipart/mixed\n\nno boundary\n",
        b"To: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Transfer-Encoding: base64\n\n%\n",
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
        + b"\nx",
        b"Content-Type: message/rfc822\n\n" * 3000 + b"From: a\n\nx",
    ],
    ids=["none", "charset", "no boundary", "bad base64", "nested", "forwarded"],
)
def test_odd_mail_ends_in_a_page_or_a_typed_error(data):
    try:
        text = text_of(data, "odd.eml")
    except (Unreadable, EmptyDocument) as error:
        assert "odd.eml" in error.message and error.hint
    else:
        assert text.strip()


SAVED = b"""From: <Saved by Blink>
Snapshot-Content-Location: https://example.org/tide
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="S"

--S
Content-Type: text/html; charset=windows-1251
Content-ID: <main@x>
Content-Transfer-Encoding: quoted-printable
Content-Location: https://example.org/tide

<html><head><title>Tide</title></head><body><h1 id=3D"top">Tide</h1><p>=C6=E0=F0</p>
<iframe src=3D"cid:frame@x"></iframe></body></html>
--S
Content-Type: text/html; charset=utf-8
Content-ID: <frame@x>
Content-Transfer-Encoding: base64

PHA+aW4gYSAiZnJhbWUiPC9wPg==
--S--
"""


@pytest.mark.parametrize("name", ["t.mhtml", "t.mht", "t.eml"])
def test_a_saved_page_is_its_page_with_the_file_as_address(name):
    page = page_of(SAVED, name)
    assert to_text(page.nodes).split() == ["Tide", "Tide", "Жар", "in", "a", '"frame"']
    assert page.document.url == name and page.document.title == "Tide"
    assert page.document.meta == {"format": "mhtml", "original": "https://example.org/tide"}
    assert elements(page) == [("h1", "top", "Tide")]


def test_an_archive_without_a_page():
    with pytest.raises(Unreadable, match="no HTML page"):
        document(b"Content-Type: image/png\n\nx", "t.mht")


# Where files come from


def test_folders_list_what_can_be_read_but_not_plain_text(tmp_path):
    for name in (
        "a.html",
        "b.md",
        "c.markdown",
        "d.pdf",
        "e.docx",
        "f.epub",
        "g.mhtml",
        "h.mht",
        "i.eml",
        "j.txt",
        "k.css",
    ):
        (tmp_path / name).write_text("x")
    assert [o.path.name[0] for o in listing([tmp_path])] == list("abcdefghi")
    assert [o.path.name for o in listing([tmp_path / "j.txt"])] == ["j.txt"]


def test_bad_files_in_a_folder_are_told_and_the_rest_is_read(tmp_path):
    (tmp_path / "good.md").write_text("The sluice opens at dawn every day.")
    (tmp_path / "bad.docx").write_bytes(b"PK\x03\x04 nothing")
    (tmp_path / "bad.epub").write_bytes(b"nothing")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
    index = MemoryIndex.build([tmp_path])
    assert [e.url for e in index.entries] == [str(tmp_path / "good.md")]
    assert sorted(error.split(":")[0] for _, error in index.skipped) == ["Unreadable"] * 3


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [
        ("a.docx", "mammoth", "mammoth"),
        ("a.md", "markdown_it", "markdown-it-py"),
        ("a.pdf", "pypdfium2", "pypdfium2"),
    ],
)
def test_a_missing_package_is_told_and_what_is_kept_of_it_is_not(
    tmp_path, monkeypatch, name, module, package
):
    files = {"a.docx": docx(paragraph("Said.")), "a.md": b"Said.", "a.pdf": raw_pdf(shown(["Said."]))}
    (tmp_path / name).write_bytes(files[name])
    (tmp_path / "z.html").write_text("<p>The other page.</p>")
    cache = tmp_path / ".cache"
    cache.mkdir()
    from longleaf.sources.rich.kept import forget

    forget()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra, match=package) as caught:
            one_document(str(tmp_path / name))
        assert caught.value.hint == "pip install 'longleaf[rich]'"
        index = MemoryIndex.build([tmp_path], cache)
        assert len(index.entries) == 1 and index.skipped[0][1].startswith("MissingExtra")
    assert len(MemoryIndex.build([tmp_path], cache).entries) == 2


def test_what_needs_no_package_works_without_any(monkeypatch):
    for module in ("mammoth", "markdown_it", "pypdfium2"):
        monkeypatch.setitem(sys.modules, module, None)
    for data, name in ((MEMO, "m.txt"), (MAIL, "m.eml"), (SAVED, "t.mht"), (BOOK, "b.epub")):
        assert text_of(data, name)


def test_what_takes_long_is_converted_once(tmp_path, monkeypatch):
    from longleaf.sources.rich import kept

    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path))
    monkeypatch.setattr(kept, "SLOW_SECONDS", -1.0)
    kept.forget()
    first = document(REPORT, "r.docx")
    kept.forget()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "mammoth", None)
        assert document(REPORT, "r.docx") == first
    (file,) = tmp_path.glob("converted-*.z")
    file.write_bytes(b"damaged")
    kept.forget()
    assert document(REPORT, "r.docx") == first


def test_standard_input_is_told_apart_by_its_bytes(monkeypatch):
    class Stdin:
        def __init__(self, data):
            self.buffer = io.BytesIO(data)

    for data, text in ((REPORT, "Survey of ponds"), (b"# <b>not</b> Markdown", "# not Markdown")):
        monkeypatch.setattr(sys, "stdin", Stdin(data))
        assert to_text(clean(one_document("-")).nodes).startswith(text)


@pytest.mark.parametrize(
    ("name", "hint", "kind"),
    [
        ("https://x.org/readme.md", "markdown", "markdown"),
        ("https://github.example/readme.md", "html", None),
        ("https://x.org/download", "epub", "epub"),
        ("page.html", None, None),
    ],
)
def test_what_the_server_says_comes_before_the_name(name, hint, kind):
    assert format_of(BOOK if kind == "epub" else b"# text", name, hint) == kind
