"""The shell of a page that needs nothing but itself: no network, no script, no font of its own."""

from __future__ import annotations

from html import escape

# Nothing may be loaded or run; ``base`` and forms are shut as well, should markup ever slip through.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

# Colours of all our pages. Pairs of text and ground keep a contrast of 4.5:1 or more (WCAG AA).
COLOURS = """
--ground:#fbfbf8;--card:#fff;--ink:#1d2421;--soft:#59645f;--line:#dfe4de;--code:#f2f4ef;
--accent:#1b6a45;--tint:#e4f1e9;--mark:#ffefb0;--good:#1b6a45;--fair:#855300;--bad:#ab241c;--fair-tint:#fbf0d9;
--bad-tint:#fbe6e3;
"""
DARK_COLOURS = """
--ground:#131715;--card:#1a1f1c;--ink:#e3e8e4;--soft:#9ba7a1;--line:#2e3632;--code:#212724;
--accent:#86d3a9;--tint:#1c3227;--mark:#574a12;--good:#86d3a9;--fair:#e6b765;--bad:#f19a92;--fair-tint:#35290f;
--bad-tint:#3b1d1a;
"""


def page(title: str, css: str, body: str) -> str:
    """Return a whole HTML file; ``title`` is text, ``body`` is finished HTML."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title, False)}</title>\n<style>\n{css.strip()}\n</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def text(value: str) -> str:
    """Return ``value`` as the content of an element."""
    return escape(value, False)


def attribute(value: str) -> str:
    """Return ``value`` as the content of a double-quoted attribute."""
    return escape(value)


def counted(count: int, name: str) -> str:
    """Return a count with its noun: ``1 page``, ``2 pages``."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"
