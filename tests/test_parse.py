"""Bytes to nodes."""

import pytest

from longleaf.decode import decode
from longleaf.errors import EmptyDocument, NotHtml, TooLarge
from longleaf.nesting import MAX_DEPTH
from longleaf.parse import MAX_ATTRIBUTES, parse
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


# The beginning of Article 1 of the Universal Declaration of Human Rights (a text in the public domain).
ARTICLE = {
    "cp1251": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "koi8-r": "Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "iso8859-2": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "cp1250": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.",
    "cp1253": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "cp1254": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
    "cp1256": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق.",
    "cp932": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "euc-jp": "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
    "iso2022_jp": "すべての人間は、生まれながらにして自由である。",
    "cp949": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "big5": "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神相對待。",
    "gb18030": "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
    "cp1252": "Alle Menschen sind frei und gleich an Würde und Rechten geboren – naïve façade, “größer”.",
    "utf-16-le": "All human beings are born free and equal in dignity and rights: Würde.",
    "utf-16-be": "All human beings are born free and equal in dignity and rights: Würde.",
}


@pytest.mark.parametrize("codec", ARTICLE)
def test_what_declares_nothing_is_read_as_what_it_looks_like(codec):
    text = f"<html><head><title>x</title></head><body><p>{ARTICLE[codec]}</p></body></html>"
    assert decode(text.encode(codec)) == text
    assert ARTICLE[codec] in to_text(parse(Document.from_bytes(text.encode(codec))).nodes)


@pytest.mark.parametrize("codec", ["iso8859-2", "cp1250"])
@pytest.mark.parametrize(
    "text",
    [
        "Příliš žluťoučký kůň úpěl ďábelské ódy.",
        "Vlogo vložite pri katerikoli enoti.",
        "Šest dětí šlo do školy, Žofie nesla aktovku a šťastně běžela.",
    ],
)
def test_signs_that_stand_inside_words_are_letters_of_another_alphabet(codec, text):
    assert decode(f"<p>{text}</p>".encode(codec)) == f"<p>{text}</p>"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<p>Gr\xc3\xb6\xc3\x9fe</p><p>cut \xe2\x80", "<p>Größe</p><p>cut \ufffd"),
        (b"<p>Gr\xc3\xb6\xc3\x9fe</p><p>old caf\xe9", "<p>Größe</p><p>old café"),
        (
            b"<meta charset=utf-8><p>caf\xc3\xa9 \x93x\x94 na\xc3\xafve",
            "<meta charset=utf-8><p>café “x” naïve",
        ),
        (b"<meta charset=utf-8><p>Gr\xf6\xdfe", "<meta charset=utf-8><p>Größe"),
        (b"\xff\xfe\x00\x00" + "<p>é".encode("utf-32-le"), "<p>é"),
    ],
)
def test_a_few_bytes_of_another_kind_do_not_spoil_the_rest(data, text):
    assert decode(data) == text


def test_an_encoding_is_found_where_a_parser_finds_it():
    links = b"<link rel=stylesheet href=a-long-name-of-a-sheet.css>" * 40
    decoys = b"<!-- <meta charset=koi8-r> --><script>'<meta charset=koi8-r>'</script>"
    head = b"<head>" + links + decoys
    assert "Ж" in decode(head + b"<meta charset=windows-1251></head><body>" + "Ж".encode("cp1251"))
    assert decode(head + b"</head><body>a <meta charset=windows-1251>" + "é".encode("cp1252")).endswith("é")


def test_declared_encodings_win_over_guesses():
    text = "会议于上午九时开始"
    assert text in decode(b"<meta http-equiv=x content='text/html;charset=gb2312'>" + text.encode("gb18030"))
    assert "Ж" in decode(b'<?xml version="1.0" encoding="windows-1251"?>' + "Ж".encode("cp1251"))


def test_more_attributes_than_any_page_has_are_cut_and_nothing_else():
    many = " ".join(f"a{n}='x>y'" if n % 2 else f"a{n}=b" for n in range(MAX_ATTRIBUTES + 50))
    few = " ".join(many.split(" ")[:500])
    page = parse(Document.from_html(f"<p>one</p><p id=here {many} title='a b'>two</p><p {few}>three</p>"))
    attrs = [page.nodes.attrs[n] for n, tag in enumerate(page.nodes.tag) if tag == "p"]
    assert [len(each) for each in attrs] == [0, MAX_ATTRIBUTES, 500]
    assert to_text(page.nodes) == "one\ntwo\nthree"


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
    "data", [b"%PDF-1.7", b"PK\x03\x04zip", b"\x89PNG\r\n", bytes(range(256)), b"a\x00\x01\x00\x00b" * 100]
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
