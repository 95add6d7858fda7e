"""What cannot nest is opened, so that the output parses to the tree it was made of."""

import pytest

from checks import shape
from longleaf.clean import clean
from longleaf.parse import parse
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document

CASES = [
    "<p>a<object><div>b</div></object>c</p>",
    "<li>x<noscript><li>y</li></noscript></li>",
    "<li><center><li>A</li></center></li>",
    "<dl><dt>a<table><dt>b</table></dl>",
    "<h1>a<span><h2>b</h2></span></h1>",
    "<h2>a<font><h3>b</h3></font></h2>",
    "<a href=x>a<table><tr><td><a href=y>b</a></table></a>",
    "<a href=x>a<blockquote><blockquote><a href=y>b</a></blockquote></blockquote></a>",
    "<p>o<table><div>b</div></table></p>",
    "<p><code>a<li><textarea><li>b</textarea></code></p>",
    "<p>a<center>b</center>c</p>",
    "<p>a<b<i>b</b<i></p>",
    "<p>a</p><plaintext>b < c</plaintext>",
    "<h2>a<p><object><h2>b",
    "<option>a<dd><option><object><dd>b",
    "<select><object><select>a",
    "<option><nobr><optgroup>b",
    "<select><object>a<input value=b>",
    "<select><optgroup label=x><s<><optgroup label=y><option>a",
    "<math><iframe srcdoc='<p>in'></iframe></math><p>a",
    "<text>x<b>kept</b></text><g>y<p>kept</p></g>",
]


@pytest.mark.parametrize("html", CASES)
def test_the_output_parses_to_its_own_tree(html):
    nodes = clean(Document.from_html(html)).nodes
    written = to_html(nodes)
    assert shape(parse(Document.from_html(written)).nodes) == shape(nodes)
    again = clean(Document.from_html(written)).nodes
    assert to_html(again) == written


@pytest.mark.parametrize("html", CASES)
def test_no_word_is_lost(html):
    raw = parse(Document.from_html(html)).nodes
    said = [w for tag, text in zip(raw.tag, raw.text, strict=True) if not tag for w in text.split()]
    shown = to_text(clean(Document.from_html(html)).nodes)
    assert all(word in shown for word in said if "<" not in word)
