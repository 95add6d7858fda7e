"""What several test files ask of a page: its tree, its shape for a parser, the columns of its tables."""

from pathlib import Path

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.errors import EmptyDocument
from longleaf.types import Document

SITE = Path(__file__).parent.parent / "examples" / "site"
REAL = [SITE / "faq" / "index.html", SITE / "library" / "getopt.html", SITE / "tutorial" / "venv.html"]
# Has tables, which the small ones lack.
TABLED = SITE / "library" / "json.html"

# A parser adds these where they are left out.
IMPLIED = frozenset(("head", "body", "tbody"))


def tree_of(html, limit=128):
    """The block tree of a page, or None where the page shows nothing."""
    try:
        return block_tree(clean(Document.from_html(html)), limit)
    except EmptyDocument:
        return None


def real_tree(path, limit=128):
    return block_tree(clean(Document.from_file(path)), limit)


def shape(nodes):
    """Tags, attributes and texts with their depth, neighbouring texts joined."""
    out, depth = [], []
    for node, tag in enumerate(nodes.tag):
        up = nodes.parent[node]
        level = depth[up] if up >= 0 else 0
        depth.append(level + (tag not in IMPLIED))
        if tag in IMPLIED:
            continue
        if not tag and out and out[-1][:2] == (level, ""):
            out[-1] = (level, "", out[-1][2] + nodes.text[node])
        else:
            out.append((level, tag, nodes.text[node] or dict(nodes.attrs[node])))
    return out


def _children(nodes):
    below = [[] for _ in range(len(nodes))]
    for node, up in enumerate(nodes.parent):
        if up >= 0:
            below[up].append(node)
    return below


def _row_groups(nodes, below, table):
    groups, bare = [], None
    for child in below[table]:
        if nodes.tag[child] == "tr":
            if bare is None:
                groups.append(bare := [])
            bare.append(child)
        elif nodes.tag[child] in ("thead", "tbody", "tfoot"):
            bare = None
            groups.append([row for row in below[child] if nodes.tag[row] == "tr"])
    return groups


def columns(nodes):
    """The column that a browser puts each cell into, by the cell's identity (HTML, forming a table)."""
    below, out = _children(nodes), {}
    for table in (n for n, tag in enumerate(nodes.tag) if tag == "table"):
        for rows in _row_groups(nodes, below, table):
            taken = set()
            for y, row in enumerate(rows):
                x = 0
                for cell in (c for c in below[row] if nodes.tag[c] in ("td", "th")):
                    while (x, y) in taken:
                        x += 1
                    out[nodes.origin[cell]] = x
                    wide = int(nodes.attrs[cell].get("colspan", 1))
                    high = int(nodes.attrs[cell].get("rowspan", 1)) or len(rows)
                    reach = range(y, min(y + high, len(rows)))
                    taken.update((i, j) for i in range(x, x + wide) for j in reach)
                    x += wide
    return out


def cells_of_rows(nodes):
    """How many cells each row has, by the row's identity."""
    below = _children(nodes)
    return {
        nodes.origin[row]: sum(nodes.tag[c] in ("td", "th") for c in below[row])
        for row, tag in enumerate(nodes.tag)
        if tag == "tr"
    }
