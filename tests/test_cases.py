"""Small inputs that broke tools of this kind, each behind a public report, and what is right for them."""

import json
import re
from pathlib import Path

import pytest

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.errors import EmptyDocument
from longleaf.language import count_words, words
from longleaf.prune import prune
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document

CASES = Path(__file__).parent / "cases"
HTML = [json.loads(line) for line in (CASES / "html_cases.jsonl").read_bytes().splitlines()]
FAULTS = [json.loads(line) for line in (CASES / "htmlrag_faults.jsonl").read_bytes().splitlines()]
TAGS = frozenset(
    """html head title body div section article main nav header footer p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd
    table""".split()
)


def squeeze(text):
    return " ".join(text.split())


def document(case):
    encoding = case.get("bytes_encoding")
    return (
        Document.from_bytes(case["html"].encode(encoding)) if encoding else Document.from_html(case["html"])
    )


@pytest.mark.parametrize("case", HTML, ids=lambda c: c["id"])
def test_case(case):
    page = clean(document(case))
    expect = case["expect"]
    html, raw = to_html(page.nodes), to_text(page.nodes)
    text = squeeze(raw)
    for wanted in expect.get("must_contain", []):
        assert squeeze(wanted) in text
    for unwanted in expect.get("must_not_contain", []) + expect.get("must_not_contain_text_output", []):
        assert unwanted not in text
    for wanted in expect.get("must_contain_raw", []):
        assert wanted in raw
    for wanted in expect.get("must_contain_html", []):
        if wanted.startswith("regex:"):
            assert re.search(wanted[6:], html)
        else:
            assert wanted in html
    tree = block_tree(page, 64)
    assert [w for b in tree.blocks for w in words(b.text)] == words(raw)
    if "block_check" in case["expect"]:
        check_blocks(tree, case["expect"]["block_check"])


def check_blocks(tree, check):
    name, *args = check.split(":")
    if name == "in_blocks":
        for wanted in args:
            assert any(wanted in b.text for b in tree.blocks)
    elif name == "header_in_block":
        header, row = args
        (block,) = [b for b in tree.blocks if row in b.text]
        assert header in block.header or header in block.text
    elif name == "min_blocks":
        assert len(tree.blocks) >= int(args[0])
    elif name == "max_block_words":
        assert max(b.words for b in tree.blocks) <= int(args[0])
    else:
        assert name == "valid_tags"
        assert set(tree.page.nodes.tag) - {""} <= TAGS


@pytest.mark.parametrize("case", FAULTS, ids=lambda c: c["id"])
def test_inputs_on_which_the_reference_package_fails(case):
    if not case["html"].strip():
        with pytest.raises(EmptyDocument):
            clean(document(case))
        return
    page = clean(document(case))
    text = to_text(page.nodes)
    tree = block_tree(page, 10)
    assert [w for b in tree.blocks for w in words(b.text)] == words(text)
    assert all(b.words <= 30 or b.kind == "table" for b in tree.blocks)
    pruned = prune(document(case), "x", 10**6, "lexical", attributes=True)
    assert pruned.html == to_html(page.nodes)
    assert count_words(pruned.text) == count_words(text)


WRONG = {
    "br_joins_words": ["oneline"],
    "ws_inline_tag_joins": ["HelloWorld"],
    "php_pi": ["echo", "there"],
    "cdata": ["CDATA"],
    "hidden": ["ignore previous", "hid"],
    "doctype_two_lines": ["DOCTYPE", "DTD"],
}
RIGHT = {
    "heading_lost": "<h2>History</h2>",
    "li_lost": "<li><p>one</p></li>",
    "td_lost": "<td><a",
    "empty_cell": "<td>Alice</td><td></td><td>30</td>",
    "rowspan": '<td rowspan="2">EU</td>',
    "pre_blank": "<pre><code>def f():\n\n    return 1\n</code></pre>",
    "img_alt": 'alt="Figure 2: 4K budget"',
}


@pytest.mark.parametrize("case", FAULTS, ids=lambda c: c["id"])
def test_each_fault_is_right_here(case):
    if case["html"].strip():
        html = to_html(clean(document(case)).nodes)
        assert not any(unwanted in html for unwanted in WRONG.get(case["id"], []))
        assert RIGHT.get(case["id"], "") in html
