"""The central values that flow between the stages.

All are frozen: a stage takes values and returns new ones. ``to_dict`` gives the JSON that
the command line, saved runs and every other surface share (schema in ``SCHEMA``).
Offsets count Unicode code points. Scores are higher-is-better within one result only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from longleaf.fragments import text_fragment

SCHEMA = "longleaf/1"

Kind = Literal["prose", "heading", "list", "table", "code", "definition", "media", "form", "links", "chrome"]
Verdict = Literal["supported", "partial", "unsupported", "unchecked"]
StopReason = Literal[
    "complete", "no_new_evidence", "repeats", "max_sentences", "max_seconds", "budget", "no_evidence"
]


def to_json(value: object) -> Any:
    """Return ``value`` as plain JSON data: dataclasses become objects, tuples become lists."""
    if is_dataclass(value) and not isinstance(value, type):
        method = getattr(value, "to_dict", None)
        if method is not None:
            return method()
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): to_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(v) for v in value]
    return value


def short_digest(text: str) -> str:
    """Return 12 hexadecimal digits that name ``text``."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """A page as it came: its bytes, where they came from, and what the carrier said of them.

    ``id`` is a short digest of the canonical address; ``digest`` is of the bytes and says
    whether the page changed. ``charset`` is what HTTP or the caller declared, if anything.
    ``title`` and ``lang`` are filled in by ``parse``.
    """

    id: str
    url: str
    data: bytes = field(repr=False)
    charset: str | None = None
    title: str = ""
    lang: str = ""
    digest: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_bytes(cls, data: bytes, url: str = "", charset: str | None = None) -> Document:
        """Make a document of raw bytes; ``charset`` is an outside declaration such as HTTP's."""
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        return cls(short_digest(url or digest), url, data, charset, digest=digest)

    @classmethod
    def from_html(cls, html: str, url: str = "") -> Document:
        """Make a document of text that is decoded already."""
        return cls.from_bytes(html.encode("utf-8", "replace"), url, "utf-8")

    @classmethod
    def from_file(cls, path: str | Path) -> Document:
        """Read one file; the address is its path as given."""
        return cls.from_bytes(Path(path).read_bytes(), str(path))

    def to_dict(self) -> dict[str, str]:
        """Return which page it is, as every surface says it: not the page itself."""
        return {"id": self.id, "url": self.url, "title": self.title, "lang": self.lang}


def subtree_ends(parent: Sequence[int]) -> list[int]:
    """Return where the subtree of each node ends, from the parents in document order."""
    end = list(range(1, len(parent) + 1))
    for node in range(len(parent) - 1, 0, -1):
        up = parent[node]
        if up >= 0 and end[node] > end[up]:
            end[up] = end[node]
    return end


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """A parsed tree as flat arrays in document order (never changed after it was made).

    Node ``i`` spans ``i .. end[i]-1``. ``tag[i]`` is ``""`` for a text node, whose characters
    are ``text[i]``. ``origin[i]`` is the identity the node got when the page was parsed, so
    that a cleaned tree still names the original element.
    """

    tag: Sequence[str]
    parent: Sequence[int]
    end: Sequence[int]
    text: Sequence[str]
    attrs: Sequence[Mapping[str, str]]
    origin: Sequence[int]

    def __len__(self) -> int:
        return len(self.tag)

    def children(self, node: int) -> list[int]:
        """Return the direct children of a node."""
        out: list[int] = []
        child = node + 1
        while child < self.end[node]:
            out.append(child)
            child = self.end[child]
        return out

    def says(self, node: int) -> bool:
        """Return whether a node is text that is more than white space (without copying it)."""
        text = self.text[node]
        return bool(text) and not text.isspace()


@dataclass(frozen=True, slots=True)
class Removal:
    """One thing that cleaning set aside: where it stood, why, and how many characters of text."""

    node: int
    path: str
    reason: str
    chars: int


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the page as it was parsed (``start`` inside, ``end`` outside) that is page chrome."""

    start: int
    end: int
    kind: Literal["links", "chrome"]


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A cleaned page: its tree, a report of everything that was set aside, and what is page chrome."""

    document: Document
    nodes: Nodes = field(repr=False)
    removed: tuple[Removal, ...] = field(default=(), repr=False)
    chrome: tuple[Region, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a page between two cuts, each a node and a character offset inside it.

    ``start`` is inside, ``end`` is outside. Offset 0 of an element means "before its tag".
    """

    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """The smallest part of a page that pruning keeps or drops whole.

    ``path`` is a label for people and models (``html>body>div2>p``), never a tag name.
    ``headings`` is the heading trail, outermost first; ``context`` lists the nodes that must
    stay with the block (heading elements, header rows, caption). ``text`` is what a browser
    would show: lines for blocks, tabs between cells, white space of code kept.
    ``tokens`` counts the block's own HTML, or is None where nothing counted it.
    """

    id: int
    path: str
    span: Span = field(repr=False)
    text: str
    words: int
    tokens: int | None
    headings: tuple[str, ...]
    kind: Kind
    anchor: str
    context: tuple[int, ...] = field(default=(), repr=False)
    header: str = field(default="", repr=False)

    @property
    def scored_text(self) -> str:
        """Heading trail, header row and text: what every ranker reads (pruning probe, section 2)."""
        head = " > ".join(self.headings)
        return "\n".join(part for part in (head, self.header, self.text) if part)


@dataclass(frozen=True, slots=True)
class Hit:
    """A block that a search found."""

    document_id: str
    block_id: int
    score: float
    rank: int
    channels: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the next sentence should speak of, or a named reason to stop."""

    keywords: tuple[str, ...]
    query: str
    stop: StopReason | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One page pruned to the step's budget: which blocks were kept, and the HTML itself."""

    document_id: str
    tokens_before: int
    tokens_after: int
    kept: tuple[int, ...]
    html: str = field(default="", repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; the HTML itself stays out of it."""
        return {
            "document_id": self.document_id,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "kept": list(self.kept),
        }


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of the answer bound to the block it rests on.

    ``start``/``end`` span the sentence in ``Answer.text``; ``quote`` stands verbatim in the
    block's text, and ``prefix + quote + suffix`` finds it there (a W3C TextQuoteSelector).
    """

    marker: int
    start: int
    end: int
    document_id: str
    block_id: int
    quote: str
    prefix: str
    suffix: str
    url: str
    anchor: str
    verdict: Verdict
    score: float

    @property
    def link(self) -> str:
        """The page's address with the nearest id anchor and a text fragment."""
        return text_fragment(self.url, self.anchor, self.quote)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with ``link`` spelt out."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data["link"] = self.link
        return data


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The HTML of a cited block with its context, so that an answer can show what it rests on."""

    marker: int
    document_id: str
    block_id: int
    url: str
    title: str
    headings: tuple[str, ...]
    html: str


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of plan, retrieve, prune, generate."""

    n: int
    plan: Plan
    hits: tuple[Hit, ...]
    evidence: tuple[Evidence, ...]
    text: str
    citations: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A long answer, its citations, and how it came about. ``str()`` is Markdown."""

    question: str
    text: str
    abstained: bool
    stop_reason: StopReason
    citations: tuple[Citation, ...] = ()
    steps: tuple[Step, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    closest: tuple[Excerpt, ...] = ()
    usage: Mapping[str, float] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    version: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the ``ask --json`` object."""
        return {"schema": SCHEMA} | {f.name: to_json(getattr(self, f.name)) for f in fields(self)}

    def __str__(self) -> str:
        from longleaf.render.markdown import answer_markdown

        return answer_markdown(self)

    def to_html(self) -> str:
        """Return one self-contained HTML file with the cited excerpts inside."""
        from longleaf.render.answer import answer_html

        return answer_html(self)

    def _repr_markdown_(self) -> str:
        return str(self)


# Events: the only way the loop speaks. Everything that shows progress consumes these.


@dataclass(frozen=True, slots=True)
class Planned:
    """The planner decided what to look for (or to stop)."""

    n: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Blocks were found for the plan."""

    n: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class EvidenceReady:
    """The found pages were pruned to the budget."""

    n: int
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of the answer, to be appended as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of the answer was bound to its element."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class StepDone:
    """One turn is over."""

    step: Step


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user should know; the run goes on."""

    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """The whole answer."""

    answer: Answer


Event = Planned | Retrieved | EvidenceReady | TextDelta | Cited | StepDone | Warned | Done
