"""One page from the web: asked for by its address, never followed further.

Only when the user names a URL is there a network call, and never with ``--offline``. Private
addresses are refused unless the user named them, so that a redirect cannot reach inside.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import urllib.error
import urllib.request
from email.message import Message
from pathlib import PurePosixPath
from typing import IO
from urllib.parse import quote, urlsplit

from longleaf.errors import NetworkRefused, NotHtml, SourceMissing, TooLarge
from longleaf.parse import MAX_PAGE_BYTES
from longleaf.sources.rich import CONTENT_TYPES, SUFFIXES, Hint, document
from longleaf.types import Document

TIMEOUT_SECONDS = 20.0
USER_AGENT = "longleaf/0.1 (+one page, asked for by its reader)"
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
# What stands in a URL as it is; all else (spaces, other scripts) is percent-encoded.
_URL_SAFE = "%/:=&?~#+!$,;'@()*[]"
_HTML_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")


def fetch(url: str, offline: bool = False, timeout: float = TIMEOUT_SECONDS) -> Document:
    """Return the page at ``url``.

    Raises ``NetworkRefused`` (offline, or a redirect to a private address), ``SourceMissing``
    (unreachable, or an HTTP error), ``NotHtml`` and ``TooLarge``.
    """
    host = _host(url)
    if offline and not _is_loopback(host):
        raise NetworkRefused(
            f"{url}: refused, because --offline is set", "leave out --offline, or save the page first"
        )
    opener = urllib.request.build_opener(_GuardedRedirects(_is_private(host), offline))
    asked = quote(url, safe=_URL_SAFE)
    request = urllib.request.Request(
        asked, headers={"User-Agent": USER_AGENT, "Accept": "text/html,*/*;q=0.5"}
    )
    try:
        with opener.open(request, timeout=timeout) as response:
            return _read(response, url)
    except urllib.error.HTTPError as error:
        with error:
            if error.code in _REDIRECTS:
                raise NetworkRefused(
                    f"{url}: refused a redirect ({error.reason})", "name that address"
                ) from error
            said = f"{url}: the server answered {error.code} {error.reason}"
        raise SourceMissing(said, "check the address") from error
    except urllib.error.URLError as error:
        raise SourceMissing(
            f"{url}: cannot be reached ({error.reason})", "check the address and the network"
        ) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SourceMissing(
            f"{url}: cannot be read ({error})", "check the address and the network"
        ) from error


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.hostname and (parts.port is None or parts.port >= 0):
            return parts.hostname
    except ValueError as error:
        raise SourceMissing(f"{url}: this is no address ({error})", "check the address") from error
    raise SourceMissing(f"{url}: this is no address (no host)", "check the address")


def _read(response: IO[bytes], url: str) -> Document:
    headers: Message = response.headers  # type: ignore[attr-defined]
    kind = headers.get_content_type()
    if kind not in _HTML_TYPES and kind not in CONTENT_TYPES:
        raise NotHtml(f"{url}: the server sent {kind}, not a page", "pass the address of a page")
    data = response.read(MAX_PAGE_BYTES + 1)
    if len(data) > MAX_PAGE_BYTES:
        raise TooLarge(f"{url}: over the limit of {MAX_PAGE_BYTES} bytes a page", "save and split the page")
    address: str = response.geturl()  # type: ignore[attr-defined]
    charset = headers.get_content_charset()
    # Servers send Markdown and much else as plain text; its name says more. HTML is HTML by any name.
    by_name = SUFFIXES.get(PurePosixPath(urlsplit(address).path).suffix.lower(), "plain")
    hint: Hint = by_name if kind == "text/plain" else CONTENT_TYPES.get(kind, "html")
    return document(data, address, hint, charset)


class _GuardedRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to public http(s) addresses only."""

    def __init__(self, private_allowed: bool, offline: bool) -> None:
        self.private_allowed = private_allowed
        self.offline = offline

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        """Refuse a redirect that leaves the public web."""
        parts = urlsplit(newurl)
        if parts.scheme not in ("http", "https"):
            raise NetworkRefused(
                f"{newurl}: refused a redirect to {parts.scheme}", "open the page in a browser"
            )
        if self.offline and not _is_loopback(parts.hostname or ""):
            raise NetworkRefused(
                f"{newurl}: refused a redirect, because --offline is set", "leave out --offline"
            )
        if not self.private_allowed and _is_private(parts.hostname or ""):
            raise NetworkRefused(
                f"{newurl}: refused a redirect to a private address", "name that address yourself"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        return [ipaddress.ip_address(info[4][0]) for info in socket.getaddrinfo(host, None)]
    except (OSError, ValueError):
        return []


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_private(host: str) -> bool:
    return any(not address.is_global for address in _addresses(host))
