"""Which elements say of themselves that nobody is to see their text.

Only what stands on the element counts: its attributes and its ``style``. Sheets do not, because what
they hide is most often what a page unfolds (menus, tabs, what a script lets appear), and half of them
are not in the page. Folded content is no hidden text, and neither is what fades in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from longleaf.colours import CLEAR, FAINT, Colour, colour_in, look_alike

# How a page folds what it shows on a click (tabs, accordions, slides): not hidden there.
_FOLD_CLASS = re.compile(
    r"(?<![a-z])(?:tab[-_]?(?:pane|panel|content|item|block|body)|tabs?__(?:pane|panel|content|item)"
    r"|accordion|collaps(?:e|ed|ible)|expandable|foldable|spoiler|disclosure|toggle-?content"
    r"|carousel|slides?|slick|swiper)(?![a-z])"
)
# An element with one of these is see-through only until it has come in.
_FADES = ("animation", "transition", "transform", "will-change")

# In pixels. Menus and pictures are moved by up to a screen's half (``left: 50%; margin-left: -480px``);
# what is hidden is moved by 999 and more, or out of the window where it is placed by itself.
_FAR, _OUT = 999, 500
_PIXELS = {"": 1, "px": 1, "pt": 1.33, "em": 16, "rem": 16, "ch": 8, "ex": 8, "in": 96, "cm": 38, "pc": 16}
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))([a-z%]*)")
# Text of one pixel is how newsletters hide the line that a mail program shows as a preview.
_TINY = 1
_KEYWORD_SIZES = frozenset("xx-small x-small small medium large x-large xx-large xxx-large initial".split())
_NO_CLIP = re.compile(
    r"inset\(\s*(?:50|100)%|(?:circle|ellipse)\(\s*0|polygon\(\s*0[a-z%]*(?:\s*,?\s*0[a-z%]*)*\s*\)"
)
_ZERO_SCALE = re.compile(r"scale(?:3d|x|y)?\(\s*0*\.?0*\s*[,)]")
_MOVED = re.compile(r"translate(?:3d|x|y)?\(([^()]*)\)")
_SHORT_SIZE = re.compile(r"(?:^|\s)([\d.]+[a-z%]*)(?:\s*/|\s)")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.S)
# Longer ones hold pictures, and are not kept in memory.
_SHORT = 1000
BLOCK_DISPLAYS = frozenset("block flex grid table list-item flow-root table-row table-cell".split())


class Hiding(NamedTuple):
    """Why text cannot be seen, and the property by which something inside can show itself again."""

    reason: str
    undone_by: str = ""
    colour: Colour = CLEAR


def declarations(style: str) -> Mapping[str, str]:
    """Return the properties of a ``style`` attribute in lower case: the last ones, or important ones."""
    return _short_declarations(style) if len(style) < _SHORT else _declarations(style)


@lru_cache(maxsize=2048)
def _short_declarations(style: str) -> Mapping[str, str]:
    return _declarations(style)


def _declarations(style: str) -> Mapping[str, str]:
    style = _CSS_COMMENT.sub("", style)
    if "\\" in style:
        style = _ESCAPE.sub(lambda m: chr(min(int(m[1], 16), 0x10FFFF)) if m[1] else m[2], style.lower())
    found: dict[str, str] = {}
    important: set[str] = set()
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        name, (value, mark, _) = name.strip(), value.partition("!")
        if colon and (mark or name not in important):
            found[name] = value.strip()
            important.update((name,) if mark else ())
    return found


def hiding(tag: str, attrs: Mapping[str, str]) -> Hiding | None:
    """Return why an element's text is declared invisible, or None."""
    style = declarations(attrs["style"]) if attrs.get("style") else {}
    if tag == "input" and attrs.get("type", "").lower() == "hidden":
        return Hiding("hidden: form state")
    folded = _is_folded(attrs)
    display = style.get("display", "")
    if (
        "hidden" in attrs
        and attrs["hidden"].lower() != "until-found"
        and not folded
        and display in ("", "none")
    ):
        return Hiding("hidden: attribute")
    if not style and tag != "font":
        return None
    return (None if folded else _not_shown(style)) or _too_small(style) or _unseen_colour(tag, attrs)


def shows_again(tag: str, attrs: Mapping[str, str], how: Hiding) -> bool:
    """Return whether something inside hidden text undoes what hides it."""
    style = declarations(attrs["style"]) if attrs.get("style") else {}
    if how.undone_by == "visibility":
        return style.get("visibility") == "visible"
    if how.undone_by == "text-indent":
        return "text-indent" in style and _pixels(style["text-indent"]) > -_FAR
    if how.undone_by == "font-size":
        return _is_sized(tag, attrs, style)
    if how.undone_by == "color":
        mine = text_colour(tag, attrs)
        return (mine is not None and mine[3] > FAINT and not look_alike(mine, how.colour)) or (
            background(attrs) is not None and how.colour != CLEAR
        )
    return False


def text_colour(tag: str, attrs: Mapping[str, str]) -> Colour | None:
    """Return the colour that an element gives its text, or None where it gives none that can be told."""
    style = declarations(attrs.get("style", ""))
    value = style.get("-webkit-text-fill-color") or style.get("color")
    if value is None and tag == "font":
        value = attrs.get("color", "").lower()
    return colour_in(value) if value else None


def background(attrs: Mapping[str, str]) -> Colour | None:
    """Return the colour behind an element's text: None where it sets none, clear where it can't be told."""
    style = declarations(attrs.get("style", ""))
    values = [style[name] for name in ("background", "background-color") if name in style]
    if any("url(" in value or "gradient(" in value for value in values) or "background-image" in style:
        return CLEAR
    value = values[-1] if values else attrs.get("bgcolor", "").lower()
    return (colour_in(value) or CLEAR) if value else None


def stands_as_block(attrs: Mapping[str, str]) -> bool:
    """Return whether a style sets an element apart from the words beside it."""
    return "style" in attrs and declarations(attrs["style"]).get("display") in BLOCK_DISPLAYS


def _is_folded(attrs: Mapping[str, str]) -> bool:
    """Return whether an element names itself as what a reader unfolds: a tab, an accordion's part."""
    return attrs.get("role") == "tabpanel" or bool(_FOLD_CLASS.search(attrs.get("class", "").lower()))


def _not_shown(style: Mapping[str, str]) -> Hiding | None:
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Hiding("hidden: display none")
    if style.get("visibility") in ("hidden", "collapse"):
        return Hiding("hidden: visibility", "visibility")
    fades = any(name.endswith(_FADES) for name in style)
    opacity = _LENGTH.match(style.get("opacity", ""))
    if opacity and not fades and float(opacity[1]) / (100 if opacity[2] == "%" else 1) <= FAINT:
        return Hiding("hidden: opacity 0")
    if style.get("text-indent", "").startswith("-") and _pixels(style["text-indent"]) <= -_FAR:
        return Hiding("hidden: off screen", "text-indent")
    return Hiding("hidden: off screen") if _is_off_screen(style) else None


def _is_off_screen(style: Mapping[str, str]) -> bool:
    by_itself = style.get("position") in ("absolute", "fixed")
    far = -_OUT if by_itself else -_FAR
    if any(_pixels(style.get(side, "")) <= far for side in ("left", "top", "right", "bottom")):
        return True
    # Moved to the left and padded by as much, or from the middle: a full-width band, a centred page.
    if _pixels(style.get("margin-left", "")) <= -_FAR and not {"left", "padding-left"} & style.keys():
        return True
    moved = _MOVED.search(style.get("transform", ""))
    ways = [*(moved[1].split(",") if moved else ()), *style.get("translate", "").split()]
    return any(_pixels(by) <= -_FAR for by in ways)


def _too_small(style: Mapping[str, str]) -> Hiding | None:
    size = style.get("font-size")
    if size is None and (found := _SHORT_SIZE.search(style.get("font", ""))):
        size = found[1]
    if size and (found := _LENGTH.fullmatch(size)):
        # Shares are of what is around: a tenth is as good as nothing.
        tiny = float(found[1]) <= (0.1 if found[2] in ("em", "rem", "ch", "ex") else _TINY)
        if tiny:
            return Hiding("hidden: zero size", "font-size")
    if _ZERO_SCALE.search(style.get("transform", "")):
        return Hiding("hidden: zero size")
    cuts = any(
        style.get(name, "").startswith(("hidden", "clip"))
        for name in ("overflow", "overflow-x", "overflow-y")
    )
    if cuts and _is_tiny(style, "width") and _is_tiny(style, "height"):
        return Hiding("hidden: zero size")
    return Hiding("hidden: clipped away") if _is_clipped(style) else None


def _is_tiny(style: Mapping[str, str], side: str) -> bool:
    values = (style.get(name, "") for name in (side, f"max-{side}"))
    return any(value[:1].isdigit() and _pixels(value) <= _TINY for value in values)


def _is_clipped(style: Mapping[str, str]) -> bool:
    if any(_NO_CLIP.search(style.get(name, "")) for name in ("clip-path", "-webkit-clip-path")):
        return True
    edges = re.findall(r"[^\s,()]+", style.get("clip", "").removeprefix("rect"))
    if len(edges) != 4 or "auto" in edges:
        return False
    top, right, bottom, left = map(_pixels, edges)
    return bottom - top <= _TINY or right - left <= _TINY


def _unseen_colour(tag: str, attrs: Mapping[str, str]) -> Hiding | None:
    colour = text_colour(tag, attrs)
    if colour is None or is_drawn_otherwise(attrs):
        return None
    if colour[3] <= FAINT:
        return Hiding("hidden: transparent", "color")
    behind = background(attrs)
    if behind is not None and look_alike(colour, behind):
        return Hiding("hidden: text in the background's colour", "color", colour)
    return None


def is_drawn_otherwise(attrs: Mapping[str, str]) -> bool:
    """Return whether letters without a colour of their own show a picture behind, an outline or a shadow."""
    style = declarations(attrs.get("style", ""))
    clips = any(name.endswith("background-clip") and "text" in value for name, value in style.items())
    shorthand = "text" in style.get("background", "").split()
    drawn = any("text-shadow" in name or "text-stroke" in name for name in style)
    return clips or shorthand or drawn


def _is_sized(tag: str, attrs: Mapping[str, str], style: Mapping[str, str]) -> bool:
    """Return whether an element sets a size that does not hang on what is around it."""
    if tag == "font" and attrs.get("size"):
        return True
    size = style.get("font-size")
    if size is None and (found := _SHORT_SIZE.search(style.get("font", ""))):
        size = found[1]
    if not size:
        return False
    found = _LENGTH.fullmatch(size)
    if found is None:
        return size in _KEYWORD_SIZES or size.startswith(("calc(", "clamp(", "max("))
    return found[2] not in ("em", "%", "ex", "ch") and float(found[1]) > (0.1 if found[2] == "rem" else _TINY)


def _pixels(value: str) -> float:
    """Return a length in pixels; what cannot be told, and no value, is 0."""
    found = _LENGTH.match(value.strip())
    return float(found[1]) * _PIXELS.get(found[2], 1) if found else 0.0
