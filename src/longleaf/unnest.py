"""Elements that a parser would end too early are opened, so that what is written out parses to the same tree.

Cleaning takes elements out, and a page may nest what no markup can say (a row's text put before
its table, a script's work). The rules are in ``nesting_rules``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longleaf.nesting_rules import CHECKED, ENDS_P, GROUPS, ITEMS, LISTS, NOT_IN, ended_by, still_open

_TEXT = frozenset(("",))


def may_nest(tags: Sequence[str], parents: Sequence[int], ends: Sequence[int]) -> bool:
    """Return whether something stands in what a parser would end before it, however deep."""
    until = dict.fromkeys(GROUPS.values(), 0)
    for node in [n for n, tag in enumerate(tags) if tag in CHECKED]:
        tag, end = tags[node], ends[node]
        group = GROUPS.get(tag)
        if tag in NOT_IN and node < until[NOT_IN[tag]]:
            return True
        if group:
            if node < until[group]:
                return True
            until[group] = end
        elif tag in ITEMS:
            if tags[parents[node]] not in LISTS:
                return True
        elif not (ENDS_P.isdisjoint if tag == "p" else _TEXT.issuperset)(tags[node + 1 : end]):
            return True
    return False


def unnest(tags: Sequence[str], parents: Sequence[int], keep: list[bool]) -> None:
    """Take elements out of ``keep`` that a parser would end where something in them begins.

    That is a paragraph in which block-level content came to stand, the outer one of two headings,
    links or items with nothing between them to keep them apart, and markup in what holds text only.
    """
    found = True
    while found:  # what was between two elements may have kept them apart
        found = _open_once(tags, parents, keep)


def _open_once(tags: Sequence[str], parents: Sequence[int], keep: list[bool]) -> bool:
    open_at: list[Mapping[str, int]] = [{}] * (len(tags) + 1)  # the last one: no parent
    found = False
    for node, tag in enumerate(tags):
        inside = open_at[parents[node]]
        if keep[node] and tag:
            ended = [inside[group] for group in ended_by(tag) if group in inside] if inside else []
            if "text" in inside:
                ended.append(node)
            for gone in ended:
                found = found or keep[gone]
                keep[gone] = False
            inside = still_open(tag, node, inside)
        open_at[node] = inside
    return found
