"""From a block back to its element."""

import re
from html import unescape

import pytest
from selectolax.lexbor import LexborHTMLParser

from checks import REAL
from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.source_map import sources
from longleaf.types import Document

PAGE = """<body><div><div><p>One.</p></div></div><ul><li>a <b>b</b></li><li id=two>c d e</li></ul>
<svg:x>odd</svg:x><p>End <i>here</i></p></body>"""


def test_a_selector_finds_the_blocks_element_in_the_page_as_it_came():
    tree = block_tree(clean(Document.from_html(PAGE)), 2)
    found = sources(tree)
    assert [source.selector for source in found][:3] == [
        "html > body > div > div > p",
        "html > body > ul > li:nth-of-type(1)",
        "html > body > ul > li:nth-of-type(2)",
    ]
    assert found[2].anchor == "two"


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_each_selector_finds_one_element_that_holds_the_block(path):
    document = Document.from_file(path)
    tree = block_tree(clean(document), 64)
    page = LexborHTMLParser(document.data.decode("utf-8"))
    for block, source in zip(tree.blocks, sources(tree), strict=True):
        matched = page.css(source.selector)
        words = re.findall(r"\w+", block.text)
        found = unescape(" ".join(element.html for element in matched))
        assert all(word in found for word in words)


@pytest.mark.parametrize(
    ("html", "selector"),
    [
        ("<ul><li>a b<li>c d<li>e f g h i</ul>", "ul > li:nth-of-type(n+1):nth-of-type(-n+2)"),
        (
            "<ul><li>a b<li hidden>x<li>c d<li>e f g h i</ul>",
            "ul > li:nth-of-type(1), ul > li:nth-of-type(3)",
        ),
    ],
)
def test_a_group_of_items_is_found_as_a_whole(html, selector):
    wanted = ", ".join(f"html > body > {part}" for part in selector.split(", "))
    assert wanted in [source.selector for source in sources(block_tree(clean(Document.from_html(html)), 4))]


def test_what_stands_in_a_frame_is_found_by_the_frame():
    tree = block_tree(
        clean(Document.from_html("<p>out</p><iframe srcdoc='<p>in <b>it</b></p>'></iframe>")), 1
    )
    assert {source.selector for source in sources(tree)} == {"html > body > p", "html > body > iframe"}
