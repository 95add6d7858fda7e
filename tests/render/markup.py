"""Reads HTML that we wrote, and fails on anything open, crossed or unknown."""

from html.parser import HTMLParser

VOID = {"br", "hr", "wbr"}
NEVER = set(
    """script style iframe object embed applet form input button select textarea link meta base img svg video
    audio template noscript xmp plaintext title frame frameset canvas foreignobject head html body""".split()
)
ATTRIBUTES = set(
    "href rel class dir lang colspan rowspan start type reversed value title datetime open display".split()
)


class Written(HTMLParser):
    """Reads what was written; fails on anything open, crossed or unknown."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags = [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag not in NEVER
        assert {name for name, _ in attrs} <= ATTRIBUTES
        for name, value in attrs:
            assert name != "href" or not value.lower().startswith(("javascript", "data", "vbscript"))
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


class Page(HTMLParser):
    """The tags, ids and inner links of a whole page of ours."""

    VOID = frozenset(("meta", "br", "hr", "wbr"))

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.targets, self.tags = [], [], [], set()
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        found = dict(attrs)
        assert not any(name.startswith("on") for name in found)
        if "id" in found:
            self.ids.append(found["id"])
        if found.get("href", "").startswith("#"):
            self.targets.append(found["href"][1:])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(html):
    """Return a page's tags, ids and inner links; fails where it is not balanced."""
    return Page(html)
