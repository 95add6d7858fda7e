"""What stands in a host appears where its shadow tree has a slot for it."""

import pytest

from longleaf import Document
from longleaf.clean import clean
from longleaf.parse import parse
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text

CARD = (
    "<my-card><template shadowrootmode=open><h2><slot name=t>No title</slot></h2><p><slot>Nothing</slot></p>"
    "</template>{}</my-card>"
)
OUTER = (
    "<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open><h2>In</h2><slot></slot>"
    "</template><slot>no</slot></x-b><p>Out</p></template><p>light</p></x-a>"
)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (CARD.format("<span slot=t>Title</span>Body"), "Title\nBody"),
        (CARD.format("Body <b>bold</b><!--c--><i slot=t>Title</i> end"), "Title\nBody bold end"),
        (CARD.format(""), "No title\nNothing"),
        (CARD.format("<i slot=t>Title</i>\n "), "Title\nNothing"),
        (CARD.format("<i slot=other>nowhere</i>"), "No title\nNothing"),
        (OUTER, "In\nlight\nOut"),
        ("<p>a</p><div><template shadowrootmode=open><p>b</p></template>replaced</div>", "a\nb"),
        ("<a href=x><template shadowrootmode=open><i>b</i></template>no host</a>", "b no host"),
        ("<x-a><template><slot></slot></template>inert</x-a>", "inert"),
    ],
)
def test_slots_are_filled_as_a_browser_fills_them(html, shown):
    page = parse(Document.from_html(html))
    assert to_text(clean(page).nodes) == shown
    written = to_html(page.nodes)
    assert to_html(parse(Document.from_html(written)).nodes) == written


def test_what_no_slot_shows_is_reported_and_not_lost():
    page = parse(Document.from_html(CARD.format("<i slot=other>nowhere</i>Body")))
    cleaned = clean(page)
    assert [(r.reason, r.chars) for r in cleaned.removed] == [("inert template", 7), ("inert template", 7)]
    assert {"nowhere", "Nothing", "Body"} <= set(page.nodes.text)
    ends = [page.nodes.end[page.nodes.parent[n]] >= page.nodes.end[n] for n in range(1, len(page.nodes))]
    assert all(ends)
