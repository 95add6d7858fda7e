"""PDF pages: paragraphs, headings, columns, tables; what is hidden in them; what is wrong with them."""

import re

import fpdf
import pytest

import longleaf
from longleaf.clean import clean
from longleaf.errors import EmptyDocument, NotHtml, TooLarge, Unreadable
from longleaf.parse import parse
from longleaf.serialise.text import to_text
from longleaf.sources import one_document
from longleaf.sources.rich import document
from sources.rich_files import raw_pdf, shown

LEFT = """The lower mill was built beside the river in the year when the old bridge fell and nobody had
a better plan for the stones that were left lying in the shallow water below it for many months.""".split()
RIGHT = """The upper mill came later and was driven by a steam engine that the owner had bought from a
ship whose captain no longer wished to carry coal to places where the wind would take him freely.""".split()


class Book(fpdf.FPDF):
    """Pages with a running header and footer."""

    def header(self):
        self.set_font("Helvetica", "", 9)
        self.cell(0, 8, "Handbook of the two mills", new_x="LMARGIN", new_y="NEXT")

    def footer(self):
        self.set_y(-15)
        self.set_font("Helvetica", "", 9)
        self.cell(0, 8, f"Page {self.page_no()}")


def handbook():
    book = Book()
    for n, (title, text) in enumerate(
        [
            ("Opening hours", "The lower mill opens at nine in the morning on every day except Monday."),
            ("Tickets", "A ticket for both mills costs twelve crowns and is valid for two days."),
            (
                "Steam engine",
                "The steam engine of the upper mill is fired up on the first Sunday of a month.",
            ),
        ],
        1,
    ):
        book.add_page()
        book.set_font("Helvetica", "B", 18)
        book.cell(0, 14, f"{n} {title}", new_x="LMARGIN", new_y="NEXT")
        book.set_font("Helvetica", "", 11)
        book.multi_cell(
            0, 6, f"This chapter tells visitors about the subject of {title.lower()} in plain words. " * 3
        )
        book.ln(6)
        book.multi_cell(0, 6, text)
    return bytes(book.output())


def page_of(data, name="mill.pdf"):
    return clean(document(data, name))


def text_of(data):
    return to_text(page_of(data).nodes)


def words(text):
    return re.findall(r"\w+", text)


def tags(page, tag):
    nodes = page.nodes
    return [to_text(nodes, n, nodes.end[n]) for n in range(len(nodes)) if nodes.tag[n] == tag]


def test_a_page_is_a_section_and_a_paragraph_names_its_page():
    page = page_of(handbook())
    ids = [a["id"] for a in page.nodes.attrs if a.get("id", "").startswith("page=2")]
    assert ids == [
        "page=2",
        "page=2&header",
        "page=2&paragraph=1",
        "page=2&paragraph=2",
        "page=2&paragraph=3",
        "page=2&footer",
    ]
    assert tags(page, "h1") == ["1 Opening hours", "2 Tickets", "3 Steam engine"]
    assert page.document.meta == {"format": "pdf", "pages": "3"}


def test_an_answer_names_page_and_paragraph_in_a_link_that_viewers_understand(tmp_path):
    (tmp_path / "mill.pdf").write_bytes(handbook())
    answer = longleaf.ask("What does a ticket for both mills cost?", str(tmp_path / "mill.pdf"))
    cited = next(c for c in answer.citations if "twelve crowns" in c.quote)
    assert cited.anchor == "page=2&paragraph=3"
    assert "mill.pdf#page=2&paragraph=3:~:text=A%20ticket" in cited.link


def test_running_lines_stay_once_a_page_and_are_no_headings():
    text = text_of(handbook())
    assert text.count("Handbook of the two mills") == 3
    assert [text.count(f"Page {n}") for n in (1, 2, 3)] == [1, 1, 1]


def test_two_columns_are_read_one_after_the_other():
    def column(said, x):
        lines = [" ".join(said[i : i + 6]) for i in range(0, len(said), 6)]
        return shown(lines, x=x, top=650)

    title = shown(["A history of both mills from their beginning to the present day in one page"], top=700)
    got = words(text_of(raw_pdf(title + b" " + column(RIGHT, 320) + b" " + column(LEFT, 72))))
    assert got == words(
        "A history of both mills from their beginning to the present day in one page"
    ) + words(" ".join(LEFT + RIGHT))


def test_a_ruled_table_is_a_table_with_its_header():
    book = fpdf.FPDF()
    book.add_page()
    book.set_font("Helvetica", "", 11)
    rows = [("Mill", "Height", "Built"), ("Lower", "12 m", "1780"), ("Upper", "19 m", "1844")]
    with book.table() as made:
        for row in rows:
            made.row(row)
    page = page_of(bytes(book.output()))
    assert tags(page, "tr") == ["\t".join(row) for row in rows]
    assert tags(page, "th") == list(rows[0])


def test_cells_in_columns_without_lines_are_a_table():
    rows = [("Lower", "12", "1780"), ("Upper", "19", "1844"), ("Tide", "7", "1910"), ("Wind", "25", "1655")]
    content = b" ".join(shown([row[k] for row in rows], x=72 + 120 * k) for k in range(3))
    assert tags(page_of(raw_pdf(content)), "tr") == ["\t".join(row) for row in rows]


def test_words_parted_at_a_line_end_are_whole_and_compounds_keep_their_hyphen():
    lines = [
        "The wheel of the mill is a master-",
        "piece of its kind and a well-known sight, a well-",
        "known one.",
    ]
    assert "is a masterpiece of its kind and a well-known sight, a well-known one." in text_of(
        raw_pdf(shown(lines))
    )


def test_a_listing_keeps_its_lines():
    book = fpdf.FPDF()
    book.add_page()
    book.set_font("Helvetica", "", 11)
    book.multi_cell(0, 6, "The program below opens the sluice for some seconds.", new_x="LMARGIN")
    book.set_font("Courier", "", 10)
    for line in ("def sluice(seconds):", "    open()", "    wait(seconds)"):
        book.cell(0, 6, line, new_x="LMARGIN", new_y="NEXT")
    assert tags(page_of(bytes(book.output())), "pre") == [
        "def sluice(seconds):\n    open()\n    wait(seconds)"
    ]


def test_recognised_text_under_a_picture_is_kept():
    assert text_of(raw_pdf(shown(["words that a scanner saw"], mode=3))) == "words that a scanner saw"


def test_a_page_on_its_side_is_read_upright_and_text_on_a_slope_is_kept():
    side = b"BT /F1 11 Tf 0 1 -1 0 300 100 Tm (The first line) Tj 0 1 -1 0 314 100 Tm (goes on here.) Tj ET"
    assert text_of(raw_pdf(side)) == "The first line goes on here."
    slope = shown(["Level text of the page"]) + b" BT /F1 40 Tf 0.7 0.7 -0.7 0.7 200 200 Tm (DRAFT) Tj ET"
    assert words(text_of(raw_pdf(slope))) == ["Level", "text", "of", "the", "page", "DRAFT"]


def test_the_same_bytes_give_the_same_page():
    from longleaf.sources.rich.kept import forget

    first = document(handbook_bytes := handbook(), "a.pdf").data
    forget()
    assert document(handbook_bytes, "b.pdf").data == first


@pytest.mark.parametrize("name", ["mill.bin", "mill.html", "mill.txt", "mill"])
def test_the_bytes_say_what_it_is(tmp_path, name):
    (tmp_path / name).write_bytes(raw_pdf(shown(["The mill is open"])))
    assert to_text(clean(one_document(str(tmp_path / name))).nodes) == "The mill is open"


def test_a_pdf_without_text_is_no_answer_and_says_what_to_do():
    with pytest.raises(EmptyDocument, match=r"scan\.pdf") as caught:
        document(raw_pdf(b"0 0 100 100 re f", pages=2), "scan.pdf")
    assert "OCR" in caught.value.hint


def test_a_protected_pdf_is_named_as_such():
    book = fpdf.FPDF()
    book.set_encryption(owner_password="o", user_password="u")
    book.add_page()
    book.set_font("Helvetica", "", 11)
    book.cell(0, 6, "secret")
    with pytest.raises(Unreadable, match=r"locked\.pdf.*password"):
        document(bytes(book.output()), "locked.pdf")


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\n" + bytes(5000),
        handbook()[:400],
        b"%PDF-1.7\ntrailer << /Root 1 0 R >>\n%%EOF",
    ],
    ids=["header only", "zeros", "cut short", "no objects"],
)
def test_a_broken_pdf_is_named_as_such(data):
    with pytest.raises(Unreadable, match=r"broken\.pdf"):
        document(data, "broken.pdf")


def test_a_name_that_promises_a_pdf():
    with pytest.raises(Unreadable, match=r"page\.pdf: no PDF"):
        document(b"<p>an error page that was saved as a PDF</p>", "page.pdf")
    with pytest.raises(EmptyDocument):
        clean(document(b"", "empty.pdf"))


def test_pages_that_contain_themselves_and_scripts_end_well():
    script = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
    assert text_of(raw_pdf(shown(["plain"]), catalog=script)) == "plain"
    looped = raw_pdf(shown(["plain"]), pages=2).replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [4 0 R 2 0 R]")
    assert "plain" in text_of(looped)


def test_too_many_pages_or_too_long_is_refused(monkeypatch):
    from longleaf.sources.rich import pdf_chars

    data = raw_pdf(shown(["page after page"]), pages=5)
    monkeypatch.setattr(pdf_chars, "MAX_PAGES", 4)
    with pytest.raises(TooLarge, match="5 pages, over the limit of 4"):
        document(data, "long.pdf")
    monkeypatch.setattr(pdf_chars, "MAX_PAGES", 9)
    monkeypatch.setattr(pdf_chars, "MAX_SECONDS", 0.0)
    with pytest.raises(TooLarge, match="seconds at page 1"):
        document(data, "slow.pdf")


def test_markup_in_a_pdf_is_text():
    assert (
        text_of(raw_pdf(shown(["a <script>alert</script> & <b>b</b>"])))
        == "a <script>alert</script> & <b>b</b>"
    )


def test_without_the_way_in_it_is_still_refused():
    with pytest.raises(NotHtml):
        parse(longleaf.Document.from_bytes(handbook(), "mill.pdf"))
