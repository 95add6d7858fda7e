"""The paper's own cleaning, loss and all (HtmlRAG section 3.2; faults of the reference, section 9.6)."""

import pytest

from longleaf.clean import clean
from longleaf.errors import EmptyDocument
from longleaf.serialise.html import to_html
from longleaf.types import Document


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><div><p>some text</p></div></div>", "<html><p>some text</p></html>"),
        ("<p>a</p><p></p><div></div><p>b</p>", "<body><p>a</p><p>b</p></body>"),
        (
            "<p class=x style=y>a<script>1</script><style>b{}</style><!-- c --></p><p>d</p>",
            "<p>a</p><p>d</p>",
        ),
        ("<h2><span>History</span></h2><p>a</p>", "<span>History</span><p>a</p>"),
        ("<ul><li><p>one</p></li><li><p>two</p></li></ul><p>x</p>", "<ul><p>one</p><p>two</p></ul>"),
        ("<table><tr><td><a href=u>apt</a></td><td></td><td>12</td></tr></table>", "<a>apt</a><td>12</td>"),
        ("<p>line one<br>line two<img alt=z></p><p>b</p>", "<p>line oneline two</p>"),
        ("<pre>a\n\n\nb</pre><p>c</p>", "<pre>a\nb</pre>"),
    ],
)
def test_it_does_what_the_paper_says(html, expected):
    written = to_html(clean(Document.from_html(html), "paper").nodes)
    assert expected.removeprefix("<html>").removesuffix("</html>") in written


def test_what_it_takes_out_with_text_is_reported():
    page = clean(Document.from_html("<p>a<!-- note --></p><script>var x</script>"), "paper")
    assert [(r.reason, r.chars) for r in page.removed] == [("comment", 4), ("script", 5)]


def test_hidden_text_stays_as_it_does_in_the_paper():
    page = clean(Document.from_html("<p>a</p><p hidden>b</p>"), "paper")
    assert page.nodes.text.count("b") == 1


def test_a_page_without_text_is_refused():
    with pytest.raises(EmptyDocument):
        clean(Document.from_html("<img alt=''><p></p>"), "paper")
