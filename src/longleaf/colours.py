"""Colours as style attributes write them, so far as it takes to tell whether text can be seen."""

from __future__ import annotations

import colorsys
import re

# Red, green, blue (0 to 255) and how opaque (0 to 1).
Colour = tuple[float, float, float, float]

CLEAR: Colour = (0, 0, 0, 0)
WHITE: Colour = (255, 255, 255, 1)
# The names of HTML 4, and the ones next to white (CSS Color 4, section 6.1).
_NAMES = {
    "transparent": "#0000", "white": "#fff", "black": "#000", "silver": "#c0c0c0", "gray": "#808080",
    "grey": "#808080", "maroon": "#800000", "red": "#f00", "purple": "#800080", "fuchsia": "#f0f",
    "magenta": "#f0f", "green": "#008000", "lime": "#0f0", "olive": "#808000", "yellow": "#ff0",
    "navy": "#000080", "blue": "#00f", "teal": "#008080", "aqua": "#0ff", "cyan": "#0ff",
    "orange": "#ffa500", "snow": "#fffafa", "ivory": "#fffff0", "ghostwhite": "#f8f8ff",
    "whitesmoke": "#f5f5f5", "floralwhite": "#fffaf0", "azure": "#f0ffff", "mintcream": "#f5fffa",
}  # fmt: skip
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![0-9a-z])")
_CALL = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?")
_WORD = re.compile(r"(?<![\w#(-])[a-z]+(?![\w(-])")

# Below this share text is not there for a reader.
FAINT = 0.05
# Channels that differ by less look the same (#f8f8f8 on white).
_NEAR = 8


def colour_in(value: str) -> Colour | None:
    """Return the first colour in a lower-case CSS value, or None where none can be told."""
    if found := _HEX.search(value):
        return _from_hex(found.group()[1:])
    if found := _CALL.search(value):
        return _from_call(found[1], _NUMBER.findall(found[2]))
    for word in _WORD.findall(value):
        if word in _NAMES:
            return _from_hex(_NAMES[word][1:])
    return None


def look_alike(one: Colour, other: Colour) -> bool:
    """Return whether nobody can tell two colours apart; a see-through one is like none."""
    opaque = min(one[3], other[3]) > 1 - FAINT
    return opaque and all(abs(a - b) <= _NEAR for a, b in zip(one[:3], other[:3], strict=True))


def _from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *rest = (int(digits[i : i + 2], 16) for i in range(0, len(digits), 2))
    return red, green, blue, rest[0] / 255 if rest else 1.0


def _from_call(kind: str, numbers: list[str]) -> Colour | None:
    if len(numbers) < 3:
        return None
    opaque = _share(numbers[3], 1) if len(numbers) > 3 else 1.0
    if kind == "rgb":
        red, green, blue = (_share(number, 255) * 255 for number in numbers[:3])
    else:
        hue, *rest = numbers[:3]
        saturation, light = (_share(number.rstrip("%") + "%", 1) for number in rest)
        parts = colorsys.hls_to_rgb(float(hue.rstrip("%")) % 360 / 360, light, saturation)
        red, green, blue = (part * 255 for part in parts)
    return red, green, blue, opaque


def _share(number: str, whole: float) -> float:
    """Return a number or percentage as a part of ``whole``, between 0 and 1."""
    value = float(number[:-1]) / 100 if number.endswith("%") else float(number) / whole
    return min(1.0, max(0.0, value))
