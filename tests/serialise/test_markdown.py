"""Trees as Markdown."""

import pytest

from longleaf.clean import clean
from longleaf.serialise.markdown import to_markdown
from longleaf.types import Document


def md(html):
    return to_markdown(clean(Document.from_html(html)).nodes).strip()


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>A <b>title</b></h2><p>text</p>", "## A **title**\n\ntext"),
        ("<p>one <i>two</i><b>three</b> <code>a`b</code></p>", "one _two_**three** ``a`b``"),
        ("<p>snake_case_name and 2*3*4</p>", "snake_case_name and 2\\*3\\*4"),
        ("<p># no heading</p><p>1. no item</p><p>- none</p>", "\\# no heading\n\n1\\. no item\n\n\\- none"),
        ("<ol start=4><li>d</li><li>e</li></ol>", "4. d\n5. e"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<blockquote><p>q</p></blockquote>", "> q"),
        ('<pre><code class="language-sh">ls  -l\n\n```\n</code></pre>', "````sh\nls  -l\n\n```\n````"),
        ("<table><tr><th>a|b</th><th>c</th></tr><tr><td>1</td><td></td></tr></table>", "| a\\|b | c |"),
        ("<p><a href='https://e.org/x y'>link</a></p>", "[link](<https://e.org/x y>)"),
        ("<p>a &lt;b&gt; c</p>", "a \\<b> c"),
    ],
)
def test_what_is_written(html, markdown):
    assert md(html).startswith(markdown)


def test_a_table_with_spans_stays_html():
    html = "<table><tr><th colspan=2>Name</th></tr><tr><td>a</td><td>b</td></tr></table>"
    assert '<th colspan="2">Name</th>' in md(html)


def test_no_words_are_glued_or_lost():
    words = [f"w{n}" for n in range(500)]
    html = "<p>" + " ".join(f"<b>{w}</b>" if n % 7 == 0 else w for n, w in enumerate(words)) + "</p>"
    assert md(html).replace("*", "").split() == words


def test_depth_is_no_limit():
    assert md("<blockquote>" * 800 + "<p>deep</p>").endswith("deep")
