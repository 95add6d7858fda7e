"""Markdown as our own writer makes it, shown as HTML with every character's place known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.render.from_markdown import MAX_NESTING, markdown_html
from longleaf.render.from_markdown_inline import Notes
from render.markup import Written


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# A **b**", "<h3>A <strong>b</strong></h3>"),
        ("###### A \\#", "<h6>A #</h6>"),
        ("a\nb\\\nc", "<p>a\nb<br>\nc</p>"),
        ("_a_ *b* un*c*d ***e*** ~~f~~",
         "<p><em>a</em> <em>b</em> un<em>c</em>d <em><strong>e</strong></em> <del>f</del></p>"),
        ("**_a_b**", "<p><strong>_a_b</strong></p>"),
        ("snake_case_name 2 * 3 * 4", "<p>snake_case_name 2 * 3 * 4</p>"),
        ("\\*a\\* \\<b> &amp; &lt; & <i>", "<p>*a* &lt;b&gt; &amp; &lt; &amp; &lt;i&gt;</p>"),
        ("`` a`b `` `c\\`", "<p><code>a`b</code> <code>c\\</code></p>"),
        ("[a *b*](<x y> \"t\")", '<p><a href="x%20y" rel="noreferrer noopener">a <em>b</em></a></p>'),
        ("[a](javascript:b)", "<p><span>a</span></p>"),
        ("[a](b", "<p>[a](b</p>"),
        ("![a \\[b\\]](c.png)", '<p><span class="image">a [b]</span></p>'),
        ("H<sub>2</sub>O <kbd>a</sub>", "<p>H<sub>2</sub>O &lt;kbd&gt;a&lt;/sub&gt;</p>"),
        ("a *b <sup>c* d</sup>", "<p>a *b <sup>c* d</sup></p>"),
        ("<https://e.org/?a=1&b=2>",
         '<p><a href="https://e.org/?a=1&amp;b=2" rel="noreferrer noopener">https://e.org/?a=1&amp;b=2</a></p>'),
        ("***", "<hr>"),
        ("> a\n>\n> > b",
         '<blockquote dir="auto"><p>a</p>\n<blockquote dir="auto"><p>b</p></blockquote></blockquote>'),
        ("- a\n  - b\n- c",
         '<ul dir="auto">\n<li>a\n<ul dir="auto">\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ul>'),
        ("- a\n\n  b\n\n- c", '<ul dir="auto">\n<li><p>a</p>\n<p>b</p></li>\n<li><p>c</p></li>\n</ul>'),
        ("4. a\n5. b\n\n1) c",
         '<ol dir="auto" start="4">\n<li>a</li>\n<li>b</li>\n</ol>\n<ol dir="auto">\n<li>c</li>\n</ol>'),
        ("- [x] a\n- [ ] b", '<ul dir="auto">\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>'),
        ("in\n1968. it", "<p>in\n1968. it</p>"),
        ("````py\n```\n<b>\n\n````", '<pre><code class="language-py">```\n&lt;b&gt;\n\n</code></pre>'),
        ("- a\n\n  ```\n    b\n  ```",
         '<ul dir="auto">\n<li><p>a</p>\n<pre><code>  b\n</code></pre></li>\n</ul>'),
        ("```\na", "<pre><code>a\n</code></pre>"),
        ("    indented", "<p>indented</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
    ],
)  # fmt: skip
def test_what_is_shown(markdown, html):
    assert markdown_html(markdown) == html


def test_pipe_tables():
    html = markdown_html("| a\\|b | `c\\|d` |\n| --- | --- |\n| 1<br>2 | |\n| 3 |")
    assert "<th>a|b</th><th><code>c|d</code></th>" in html
    assert "<tr><td>1<br>2</td><td></td></tr><tr><td>3</td><td></td></tr>" in html


def test_a_cell_may_look_like_a_rule():
    assert markdown_html("| a |\n| --- |\n| b |\n| :-- |").count("<td>") == 2


def test_an_empty_header_row_is_no_header():
    assert "thead" not in markdown_html("|  |  |\n| --- | --- |\n| 1 | 2 |")


def test_html_tables_are_shown_and_cleaned():
    html = markdown_html('<table onclick="x"><tr><td colspan="2">a<script>b</script></td></tr></table>\n\nc')
    assert '<td colspan="2">a</td>' in html
    assert "script" not in html
    assert "onclick" not in html
    assert html.endswith("<p>c</p>")


def test_nesting_beyond_the_limit_is_text():
    html = markdown_html("> " * 5000 + "deep")
    assert html.count("<blockquote") == MAX_NESTING
    assert "deep" in html


def stretch(text, start, end):
    owner = [0 if start <= at < end else -1 for at in range(len(text) + 1)]
    return Notes(owner, [' class="s"'], {0: ' id="s"'})


@pytest.mark.parametrize(
    ("text", "cited", "html"),
    [
        ("a b. c d.", "a b.", '<p><span class="s" id="s">a b.</span> c d.</p>'),
        ("x **b** y", "**b** y", '<p>x <span class="s" id="s"><strong>b</strong> y</span></p>'),
        ("a \\* b", "\\* b", '<p>a <span class="s" id="s">* b</span></p>'),
        ("# a b", "b", '<h3>a <span class="s" id="s">b</span></h3>'),
        ("- a\n- b", "- b", '<ul dir="auto">\n<li>a</li>\n<li><span class="s" id="s">b</span></li>\n</ul>'),
        ("> - a\n>   b", "a\n>   b", '<span class="s" id="s">a\nb</span>'),
        ("```\nx\n```\n", "```\nx\n```", '<pre class="s" id="s"><code>x\n</code></pre>'),
        ("a\n\nb", "a\n\nb", '<p><span class="s" id="s">a</span></p>\n<p><span class="s">b</span></p>'),
    ],
)
def test_a_stretch_of_the_source_is_wrapped(text, cited, html):
    start = text.index(cited)
    assert html in markdown_html(text, stretch(text, start, start + len(cited)))


def test_cells_of_a_cited_table_are_wrapped():
    text = "| a | b |\n| --- | --- |\n| c | d |"
    html = markdown_html(text, stretch(text, 0, len(text)))
    assert html.count('<span class="s"') == 4
    assert html.count('id="s"') == 1


def test_a_mark_replaces_its_brackets_only_where_it_stands():
    text = "a [1] b [1] `[1]`"
    notes = Notes([-1] * (len(text) + 1), marks={8: (11, "<i>mark</i>")})
    assert markdown_html(text, notes) == "<p>a [1] b <i>mark</i> <code>[1]</code></p>"


PIECES = st.sampled_from(
    ["*", "**", "_", "~~", "`", "``", "[", "](", ")", "![", "<sup>", "</sup>", "<br>", "&lt;", "\\", "word",
     " ", "é", "\n", "\n\n", "- ", "> ", "1. ", "# ", "|", "\n|---|---|\n", "```\n", "<table>", "<td>",
     "<script>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join), st.integers(0, 60), st.integers(0, 60))
def test_any_text_comes_out_balanced(text, start, size):
    html = markdown_html(text, stretch(text, start, start + size))
    Written(html.replace(' id="s"', ""))
