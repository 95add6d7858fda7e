"""What a parser ends where another element begins (HTML standard, 13.2.6.4.7, "in body").

The guard against deep pages reads tags by these rules, and cleaning keeps them: where it takes an
element out, what stood in it must not come to stand where a parser would end what is around it.
"""

from __future__ import annotations

from collections.abc import Mapping

# An end tag of these closes what is open in them; none but address, div and p lets an item's end through.
SPECIAL = frozenset(
    """address applet article aside blockquote button center details dialog dir div dl fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup listing main marquee menu nav noscript object ol pre
    search section select summary table template ul p li dd dt""".split()
)
WALLS = SPECIAL - {"address", "div", "p"}
# A start tag of these ends an open paragraph.
ENDS_P = (SPECIAL | {"hr", "xmp", "plaintext"}) - frozenset(
    "applet button marquee noscript object select table template".split()
)
# And one of these the open item.
ITEMS = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# Inside these an outer paragraph stays open, and an outer link does not matter.
SCOPES = frozenset("button table td th caption svg math marquee object applet template".split())
_MARKERS = frozenset("td th caption marquee object applet template".split())

# Elements that cannot stand in one of their own kind: directly, or (link, button, form, select) at all.
GROUPS = dict.fromkeys(HEADINGS, "heading") | {
    "a": "a",
    "option": "option",
    "optgroup": "optgroup",
    "select": "select",
    "button": "button",
    "form": "form",
}
# And what else cannot stand in such a group.
NOT_IN = {"optgroup": "option", "input": "select"}
# These hold text and no elements.
_TEXT_ONLY = frozenset(("textarea", "title", "xmp"))
# Where to look first: elements that may hold what they cannot.
CHECKED = frozenset((*GROUPS, *NOT_IN, *ITEMS, *_TEXT_ONLY, "p"))


def ended_by(tag: str) -> tuple[str, ...]:
    """Return the kinds of open elements that a start tag ends: a group, an item's tag, or ``p``."""
    ended = ITEMS.get(tag, ())
    if tag in ENDS_P:
        ended = (*ended, "p")
    if tag in NOT_IN:
        ended = (*ended, NOT_IN[tag])
    return (*ended, GROUPS[tag]) if tag in GROUPS else ended


def still_open(tag: str, node: int, before: Mapping[str, int]) -> Mapping[str, int]:
    """Return what a start tag inside ``node`` could end, from what one beside it could."""
    now = {kind: at for kind, at in before.items() if kind not in ("heading", "option")}
    if tag in SCOPES:
        now.pop("p", None)
    if tag in _MARKERS:
        now.pop("a", None)
        now.pop("select", None)
    if tag in WALLS:
        for item in ITEMS:
            now.pop(item, None)
    if tag in _TEXT_ONLY:
        now["text"] = node
    if tag == "p" or tag in ITEMS:
        now[tag] = node
    elif tag in GROUPS:
        now[GROUPS[tag]] = node
    return now
