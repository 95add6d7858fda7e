"""Where pages come from."""

import http.server
import os
import threading
from pathlib import Path

import pytest

from longleaf.errors import NetworkRefused, NoPages, NotHtml, SourceMissing, TooLarge, Unreadable
from longleaf.sources import documents, listing, one_document
from sources.rich_files import raw_pdf, shown


@pytest.fixture
def site(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("z.html", "a.htm", "b/c d#e.xhtml", ".hidden/x.html", "notes.txt", "b/style.css"):
        (tmp_path / name).write_text(f"<p>{name}</p>")
    return tmp_path


def test_a_folder_is_searched_at_any_depth_in_order(site):
    names = [Path(o.url).relative_to(site).as_posix() for o in listing([site])]
    assert names == ["a.htm", "z.html", "b/c d#e.xhtml"]


def test_files_are_taken_as_named_and_once(site):
    assert len(listing([site / "notes.txt", site / "z.html", site])) == 4
    (document,) = documents([site / "notes.txt"])
    assert document.data == b"<p>notes.txt</p>"


def test_missing_and_unfit(site, tmp_path):
    with pytest.raises(SourceMissing, match="nowhere"):
        listing([site / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoPages, match="empty"):
        listing([tmp_path / "empty"])
    (tmp_path / "x.zim").write_bytes(b"ZIM")
    with pytest.raises(NotHtml, match="ZIM"):
        listing([tmp_path / "x.zim"])
    with pytest.raises(NotHtml, match="folder"):
        one_document(str(site))
    with pytest.raises(SourceMissing, match="gopher"):
        listing(["gopher://example.org/"])


def test_too_large_is_refused_before_it_is_read(site, monkeypatch):
    import longleaf.sources.files as files

    monkeypatch.setattr(files, "MAX_PAGE_BYTES", 3)
    with pytest.raises(TooLarge, match="limit of 3 bytes"):
        list(documents([site / "z.html"]))


_FILES = {
    "/book": ("application/pdf", raw_pdf(shown(["The tide comes at six"]))),
    "/notes": ("text/markdown; charset=windows-1251", "# Жар".encode("cp1251")),
    "/notes.md": ("text/plain", b"# <i>Heading</i>"),
    "/page.md": ("text/html", b"# <i>no heading</i>"),
    "/mail": ("message/rfc822", b"From: a\n\nbody"),
}


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path in _FILES:
            kind, data = _FILES[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(data)
            return
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "file:///etc/hostname")
            self.end_headers()
            return
        self.send_response(200)
        kind = "image/png" if self.path == "/picture" else "text/html; charset=windows-1251"
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write("<p>Жар</p>".encode("cp1251"))

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


def test_one_url_with_the_charset_of_its_header(server):
    from longleaf.clean import clean
    from longleaf.serialise.text import to_text

    document = one_document(f"{server}/page")
    assert document.charset == "windows-1251"
    assert to_text(clean(document).nodes) == "Жар"


@pytest.mark.parametrize(
    ("path", "tag", "text"),
    [
        ("/book", "p", "The tide comes at six"),
        ("/notes", "h1", "Жар"),
        ("/notes.md", "h1", "Heading"),
        ("/page.md", "i", "no heading"),
        ("/mail", "p", "body"),
    ],
)
def test_the_server_says_which_format_it_sends(server, path, tag, text):
    from longleaf.clean import clean
    from longleaf.serialise.text import to_text

    nodes = clean(one_document(server + path)).nodes
    at = nodes.tag.index(tag)
    assert to_text(nodes, at, nodes.end[at]) == text


def test_url_failures_are_typed(server):
    with pytest.raises(SourceMissing, match="404"):
        one_document(f"{server}/missing")
    with pytest.raises(NotHtml, match="image/png"):
        one_document(f"{server}/picture")
    with pytest.raises(NetworkRefused, match="redirect"):
        one_document(f"{server}/away")
    with pytest.raises(SourceMissing, match="cannot be reached"):
        one_document("http://127.0.0.1:9/")


def test_offline_refuses_all_but_loopback(server):
    with pytest.raises(NetworkRefused, match="offline"):
        one_document("http://example.org/", offline=True)
    assert one_document(f"{server}/page", offline=True).data


def test_each_bad_page_is_named(tmp_path):
    from longleaf.clean import clean
    from longleaf.errors import EmptyDocument

    (tmp_path / "empty.html").write_bytes(b" \n")
    (tmp_path / "shows-nothing.html").write_text("<p hidden>a</p>")
    (tmp_path / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99))
    for name, error in (("empty", EmptyDocument), ("shows-nothing", EmptyDocument), ("picture", NotHtml)):
        path = tmp_path / f"{name}.html"
        with pytest.raises(error, match=name) as caught:
            clean(one_document(str(path)))
        assert str(path) in caught.value.message
        assert caught.value.hint


def test_a_page_of_one_word_is_a_page(tmp_path):
    from longleaf.clean import clean
    from longleaf.serialise.text import to_text

    (tmp_path / "one.html").write_text("word")
    assert to_text(clean(one_document(str(tmp_path / "one.html"))).nodes) == "word"


def test_a_name_that_no_file_can_have(tmp_path):
    for source in ("x" * 5000, "<p>" + "not a path " * 500, str(tmp_path / "no\x00name")):
        with pytest.raises((SourceMissing, Unreadable)) as caught:
            one_document(source)
        assert source in caught.value.message


def test_a_link_to_nowhere_is_no_page(tmp_path):
    (tmp_path / "gone.html").symlink_to(tmp_path / "nowhere.html")
    with pytest.raises(NoPages, match="no HTML page"):
        listing([tmp_path])
    with pytest.raises(SourceMissing, match=r"gone\.html"):
        listing([tmp_path / "gone.html"])


def test_a_page_that_goes_away_before_it_is_read(site):
    (origin,) = listing([site / "z.html"])
    (site / "z.html").unlink()
    with pytest.raises(Unreadable, match=r"z\.html"):
        origin.load()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything is readable to root")
def test_what_may_not_be_read_is_said(site):
    (site / "z.html").chmod(0)
    with pytest.raises(Unreadable, match=r"z\.html: Permission denied"):
        one_document(str(site / "z.html"))
    (site / "b").chmod(0)
    try:
        with pytest.raises(Unreadable, match="Permission denied"):
            listing([site / "b"])
        assert len(listing([site])) == 2
    finally:
        (site / "b").chmod(0o700)
