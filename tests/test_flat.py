"""Reading what the parser writes out says the same as asking it node by node."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from checks import REAL
from longleaf.flat import Flat, Irregular, read_serialised
from longleaf.parse import parse
from longleaf.types import Document

FEW = settings(max_examples=300, deadline=None)
PARTS = st.sampled_from(
    """<p> </p> <div> </div> <b> </b> <a+href=x> <span+class="n+o"> </span> <table> <td> <tr> </table> <br>
    <svg> <style> </style> <script> </script> </svg> <math> <mi> <!--c<d--> <title> </title> <textarea>
    </textarea> <x-y+a="1>2"+b='<'> <img+alt="a&quot;b"> <noscript> <xmp> </xmp> <?x?> <!doctype+html>
    text &lt; &amp; &nbsp; < > " a<b <li> </li> <select> <option> <ruby> <rt> <plaintext>""".split()
)


def walked(html):
    """(depth, tag, text, attributes) of every node, asked for one by one, neighbouring texts joined."""
    depth, out = {}, []
    parser = LexborHTMLParser(html)
    for node in parser.root.traverse(include_text=True):
        level = depth[node.mem_id] = depth.get(node.parent.mem_id, -1) + 1
        if node.tag == "-text":
            out.append((level, "", node.text_content, {}))
        elif node.tag == "-comment":
            out.append((level, "#comment", "", {}))
        else:
            out.append((level, node.tag, "", {k: v or "" for k, v in (node.attributes or {}).items()}))
    return out


def read(html):
    flat = Flat()
    read_serialised(LexborHTMLParser(html).root.html, flat, -1, 0, lambda *_: None)
    depth, out = [], []
    for node, tag in enumerate(flat.tag):
        depth.append(0 if flat.parent[node] < 0 else depth[flat.parent[node]] + 1)
        out.append((depth[-1], tag, "" if tag else flat.text[node], dict(flat.attrs[node])))
    ends = [
        next((j for j in range(i + 1, len(depth)) if depth[j] <= d), len(depth)) for i, d in enumerate(depth)
    ]
    assert flat.end == ends
    return out


@FEW
@given(st.lists(PARTS, max_size=14))
def test_it_says_what_the_parser_says_or_refuses(parts):
    html = "".join(parts).replace("+", " ")
    try:
        found = read(html)
    except Irregular:
        return
    assert found == walked(html)


@pytest.mark.parametrize("path", REAL, ids=lambda path: Path(path).name)
def test_real_pages(path):
    html = path.read_text("utf-8")
    assert read(html) == walked(html)


@pytest.mark.parametrize(
    "html",
    [
        "<b<i>x</b<i>",
        "<html<!--><i>x",
        "<svg><style>a<!-- --><b>c",
        "<script><!--<script></script>--></script>x",
        "<plaintext>a",
        "<p>a<?b?>c",
        "<svg><link>a</link></svg>",
    ],
)
def test_what_cannot_be_split_is_refused_and_asked_for_node_by_node(html):
    with pytest.raises(Irregular):
        read(html)
    nodes = parse(Document.from_html(html)).nodes
    assert nodes.end[0] == len(nodes)
    said = [word for _, tag, text, _ in walked(html) if not tag for word in (text or "").split()]
    assert [
        word for node, tag in enumerate(nodes.tag) if not tag for word in nodes.text[node].split()
    ] == said


def test_a_template_holds_its_own_tree():
    nodes = parse(Document.from_html("<template shadowrootmode=open><tr><td>a<td>b</template>c")).nodes
    assert [tag for tag in nodes.tag if tag] == ["html", "head", "template", "tr", "td", "td", "body"]


def test_templates_in_foreign_markup_cost_no_more_than_their_size():
    for name in ("math", "svg"):
        nodes = parse(Document.from_html(f"<{name}><template>" * 40 + "x")).nodes
        assert len(nodes) < 200


def test_a_frame_brings_its_page_once():
    nodes = parse(Document.from_html('<iframe srcdoc="<p>in<b>ner"></iframe><p>out')).nodes
    assert [text for text in nodes.text if text] == ["in", "ner", "out"]
    assert [tag for tag in nodes.tag if tag] == ["html", "head", "body", "iframe", "p", "b", "p"]
