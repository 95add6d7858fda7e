"""E-mail and saved pages (MHTML) to HTML, with the standard library's parser alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message

from longleaf.decode import decode, decode_text
from longleaf.errors import EmptyDocument, Unreadable
from longleaf.serialise.html import escape_attribute, escape_text
from longleaf.sources.rich.converted import Converted, no_text, numbered, page_html
from longleaf.sources.rich.plain import body_html

HEADERS = ("From", "To", "Cc", "Date", "Subject")
# Mail forwarded as an attachment, again and again; the parser itself ends at about 90 deep.
MAX_DEPTH = 50
# The parser of encoded words is quadratic; a list of 300 addresses is shorter than this.
MAX_HEADER_CHARS = 20_000
_BAD = (MessageError, LookupError, ValueError, AttributeError, TypeError, RecursionError)
_FRAME = re.compile(r"(<iframe\b[^<>]{0,1000}?)\bsrc\s*=\s*[\"']?(cid:[^\"'\s>]+)[\"']?", re.I)


def to_html(data: bytes, name: str) -> Converted:
    """Return a mail as a page: its headers, its text, the names of what is attached, forwarded mail."""
    message = _message(data, name)
    if not any(message[header] for header in HEADERS) and not message.is_multipart():
        raise Unreadable(f"{name}: not an e-mail (it has no headers)", "pass a message as .eml")
    written = _Letter()
    try:
        written.add(message, 1)
    except _BAD as error:
        raise _unreadable(name, error) from error
    if not written.said:
        raise no_text(name, "the message")
    return Converted(page_html("\n".join(written.out), _header(message, "Subject")))


def saved_page(data: bytes, name: str) -> Converted:
    """Return the page in an MHTML file, its frames in place; ``meta`` names its original address."""
    message = _message(data, name)
    try:
        page = _root(message)
        if page is None:
            raise Unreadable(f"{name}: no HTML page in this archive", "save the page again as MHTML")
        html = _html_of(page)
        frames = {
            str(part.get("Content-ID", "")).strip().strip("<>"): part
            for part in message.walk()
            if part.get_content_type() == "text/html" and part is not page
        }
        html = _FRAME.sub(lambda found: _framed(found, frames), html)
        original = str(page["Content-Location"] or message["Snapshot-Content-Location"] or "").strip()
    except _BAD as error:
        raise _unreadable(name, error) from error
    if not html.strip():
        raise no_text(name, "the saved page")
    return Converted(html, {"original": original} if original else {})


def _message(data: bytes, name: str) -> Message:
    if not data.strip():
        raise EmptyDocument(f"{name}: the file is empty", "check that it was downloaded whole")
    try:
        return message_from_bytes(data)
    except _BAD as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: Exception) -> Unreadable:
    said = f"{type(error).__name__}: {error}"
    return Unreadable(f"{name}: not a readable message ({said})", "save the message again")


def _root(message: Message) -> Message | None:
    """Return the part that is the page: the one that ``start`` names, else the first HTML."""
    pages = [
        part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")
    ]
    start = str(message.get_param("start") or "").strip("<>")
    named = (part for part in pages if start and str(part.get("Content-ID", "")).strip("<> ") == start)
    return next(named, pages[0] if pages else None)


def _framed(found: re.Match[str], frames: dict[str, Message]) -> str:
    frame = frames.get(found.group(2).removeprefix("cid:"))
    if frame is None:
        return found.group()
    return f'{found.group(1)}srcdoc="{escape_attribute(_html_of(frame))}"'


def _bytes_of(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _html_of(part: Message) -> str:
    return decode(_bytes_of(part), part.get_content_charset())


def _text_of(part: Message) -> str:
    return decode_text(_bytes_of(part), part.get_content_charset())


def _header(message: Message, name: str) -> str:
    return _unfolded(str(message[name] or ""))


def _unfolded(raw: str) -> str:
    """Return a header's value on one line, its encoded words decoded where they can be."""
    raw = raw[:MAX_HEADER_CHARS]
    with suppress(HeaderParseError, LookupError, ValueError):
        raw = str(make_header(decode_header(raw)))
    return " ".join(raw.encode("utf-8", "replace").decode("utf-8").split())


class _Letter:
    """A mail being written out: its paragraphs are numbered through all its parts."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.number = 1
        self.said = False

    def add(self, message: Message, depth: int) -> None:
        """Write headers, text, attachments and forwarded mail."""
        self.out.append("<article>")
        self._headers(message, depth)
        attached: list[str] = []
        for part in _shown(message):
            self._part(part, depth, attached)
        if attached:
            items = "".join(f"<li>{escape_text(name)}</li>" for name in attached)
            self.out.append(f'<p id="attachments">Attachments:</p>\n<ul>{items}</ul>')
        self.out.append("</article>")

    def _headers(self, message: Message, depth: int) -> None:
        subject = _header(message, "Subject")
        mark = "headers" if depth == 1 else f"paragraph-{self.number}"
        self.number += depth > 1
        if subject:
            self.said = True
            self.out.append(f"<h{min(depth, 6)}>{escape_text(subject)}</h{min(depth, 6)}>")
        # The subject stands above them.
        rows = [(name, _header(message, name)) for name in HEADERS if name != "Subject"]
        said = "".join(f"<tr><th>{name}</th><td>{escape_text(text)}</td></tr>" for name, text in rows if text)
        if said:
            self.out.append(f'<table id="{mark}">{said}</table>')
            self.said = True

    def _part(self, part: Message, depth: int, attached: list[str]) -> None:
        kind = part.get_content_type()
        if kind == "message/rfc822":
            for inner in part.get_payload() if isinstance(part.get_payload(), list) else ():
                if isinstance(inner, Message) and depth < MAX_DEPTH:
                    self.add(inner, depth + 1)
            return
        name = _unfolded(part.get_filename() or "")
        if kind not in ("text/plain", "text/html") or part.get_content_disposition() == "attachment":
            attached.append(name or kind)
            return
        body, self.number = self._written(part, kind)
        if body.strip():
            self.said = True
            self.out.append(body)

    def _written(self, part: Message, kind: str) -> tuple[str, int]:
        if kind == "text/plain":
            return body_html(_text_of(part), self.number)
        try:
            return numbered(_html_of(part), "paragraph-", self.number, in_tables=True)
        except EmptyDocument:
            return "", self.number


def _shown(message: Message) -> Iterator[Message]:
    """Yield the parts that a mail program shows; of alternatives the HTML, if it says anything."""
    payload = message.get_payload()
    if not message.is_multipart() or message.get_content_type() == "message/rfc822":
        yield message
        return
    parts = [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []
    if message.get_content_type() == "multipart/alternative":
        yield from _chosen(parts)
        return
    for part in parts:
        yield from _shown(part)


def _chosen(parts: list[Message]) -> Iterator[Message]:
    shown = [list(_shown(part)) for part in parts]
    with_html = [s for s in shown if any(p.get_content_type() == "text/html" and _says(p) for p in s)]
    with_text = [s for s in shown if any(p.get_content_type() == "text/plain" for p in s)]
    yield from (with_html[-1:] or with_text[-1:] or shown[-1:] or [[]])[0]


def _says(part: Message) -> bool:
    """Return whether an HTML part has words, not only a picture."""
    try:
        return numbered(_html_of(part), "")[1] > 1
    except EmptyDocument:
        return False
