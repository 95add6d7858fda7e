"""What other tools make of a page: a text, or chunks. Each is imported when it is first used.

Part of ``pruning_peers.py``. Settings are those of the tools' own documentation, with one size for
all chunks: about what a block of 128 words takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from pruning_peer_chunks import Chunk

from longleaf.parse import parse
from longleaf.serialise.markdown import to_markdown
from longleaf.tokens import TokenCounter
from longleaf.types import Document

Extract = Callable[[str], str]
Split = Callable[[str], list[Chunk]]

# Characters (LangChain) and tokens (LlamaIndex) of a chunk. 1000 is the size that LangChain's
# semantic splitter has by default; at four characters a token the two are the same. No overlap: what
# is said twice would only take room in a budget.
CHUNK_CHARACTERS, CHUNK_TOKENS = 1000, 256
HEADERS = [(f"h{level}", f"Header {level}") for level in range(1, 7)]
# As in the documentation of HTMLSemanticPreservingSplitter, and code.
PRESERVED = ["table", "ul", "ol", "pre", "code"]
DENIED = ["script", "style", "head"]
_XML = re.compile(r"\A\s*<\?xml[^>]*>")


def beautifulsoup_text(html: str) -> str:
    """Return all text of the page, a line for each string."""
    from bs4 import BeautifulSoup

    return str(BeautifulSoup(html, "html.parser").get_text("\n", strip=True))


def trafilatura_text(html: str) -> str:
    """Return trafilatura's main text as Markdown, so that headings are known; no comments."""
    import trafilatura

    return trafilatura.extract(html, output_format="markdown", include_comments=False) or ""


def readability_text(html: str) -> str:
    """Return readability's article, written as Markdown by Longleaf (it comes as HTML)."""
    from readability import Document as Article

    summary = Article(html).summary(html_partial=True)
    return to_markdown(parse(Document.from_html(summary)).nodes) if summary.strip() else ""


def resiliparse_text(html: str) -> str:
    """Return resiliparse's main content as text."""
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True))


def _chunks(documents: Iterable[Any]) -> list[Chunk]:
    return [Chunk(d.page_content, _trail(d.metadata)) for d in documents if d.page_content.strip()]


def _trail(metadata: dict[str, Any]) -> tuple[str, ...]:
    """Return the headings in a LangChain document's metadata, outermost first."""
    found = [str(metadata[name]).strip() for _, name in HEADERS if metadata.get(name)]
    return tuple(name for name in found if name and name != "#TITLE#")


def _sized() -> Any:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(chunk_size=CHUNK_CHARACTERS, chunk_overlap=0)


def langchain_header(html: str) -> list[Chunk]:
    """Split at headings, then at the chunk size, as LangChain's guide does."""
    from langchain_text_splitters import HTMLHeaderTextSplitter

    return _chunks(_sized().split_documents(HTMLHeaderTextSplitter(HEADERS).split_text(html)))


def langchain_section(html: str) -> list[Chunk]:
    """Split at headings by LangChain's section splitter, then at the chunk size.

    It refuses text that declares an encoding, as XHTML does, so the declaration is taken off.
    """
    from langchain_text_splitters import HTMLSectionSplitter

    sections = HTMLSectionSplitter(HEADERS).split_text(_XML.sub("", html, count=1))
    return _chunks(_sized().split_documents(sections))


def langchain_semantic(html: str) -> list[Chunk]:
    """Split by LangChain's semantic splitter; tables, lists and code stay whole."""
    from langchain_text_splitters import HTMLSemanticPreservingSplitter

    splitter = HTMLSemanticPreservingSplitter(
        HEADERS, max_chunk_size=CHUNK_CHARACTERS, elements_to_preserve=PRESERVED, denylist_tags=DENIED
    )
    return _chunks(splitter.split_text(html))


def langchain_recursive(html: str) -> list[Chunk]:
    """Split the markup itself by LangChain's separators for HTML."""
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.HTML, chunk_size=CHUNK_CHARACTERS, chunk_overlap=0
    )
    return [Chunk(text) for text in splitter.split_text(html) if text.strip()]


def llamaindex_html(counter: TokenCounter) -> Split:
    """Return LlamaIndex's HTMLNodeParser followed by its SentenceSplitter; it keeps no headings."""

    def split(html: str) -> list[Chunk]:
        from llama_index.core import Document as Source
        from llama_index.core.node_parser import HTMLNodeParser, SentenceSplitter
        from llama_index.core.schema import MetadataMode

        nodes = HTMLNodeParser().get_nodes_from_documents([Source(text=html)])
        sentences = SentenceSplitter(
            chunk_size=CHUNK_TOKENS,
            chunk_overlap=0,
            tokenizer=lambda text: range(counter.count(text)),
            include_metadata=False,
        )
        texts = [
            node.get_content(MetadataMode.NONE) for node in sentences.get_nodes_from_documents(list(nodes))
        ]
        return [Chunk(text) for text in texts if text.strip()]

    return split
