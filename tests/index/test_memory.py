"""The index in memory and its cache file."""

import os

import pytest

from longleaf.errors import NoPages, Unreadable
from longleaf.index.ingest import read_row
from longleaf.index.memory import MemoryIndex
from longleaf.index.stored import pack, unpack
from longleaf.prune.lexical import query_terms

PAGE = "<title>{0}</title><h1>{0}</h1><p>The {0} burns for eleven hours.</p><ul><li>one {0}</li></ul>"


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("lamp", "candle", "torch"):
        (folder / f"{name}.html").write_text(PAGE.format(name))
    (tmp_path / "cache").mkdir()
    return folder


def build(site):
    return MemoryIndex.build([site], site.parent / "cache")


def best(index, question):
    return index.block(int(index.search(query_terms(question)).argmax()))


def reads(monkeypatch):
    import longleaf.index.ingest as ingest

    seen = []
    monkeypatch.setattr(ingest, "read_row", lambda origin: seen.append(origin.path.name) or read_row(origin))
    return seen


def test_finds_the_block(site):
    index = build(site)
    assert len(index.entries) == 3
    assert "candle" in best(index, "how long does a candle burn").text


def test_a_second_opening_reads_no_page_and_finds_the_same(site, monkeypatch):
    first = build(site)
    seen = reads(monkeypatch)
    second = build(site)
    assert seen == []
    assert second.entries == first.entries
    assert [second.block(r) for r in range(len(second))] == [first.block(r) for r in range(len(first))]
    assert list(second.search(query_terms("candle hours"))) == list(first.search(query_terms("candle hours")))


def test_only_what_changed_is_read_again(site, monkeypatch):
    build(site)
    (site / "torch.html").write_text(PAGE.format("bonfire"))
    (site / "candle.html").unlink()
    (site / "new.html").write_text(PAGE.format("lantern"))
    seen = reads(monkeypatch)
    index = build(site)
    assert sorted(seen) == ["new.html", "torch.html"]
    assert len(index.entries) == 3
    assert "bonfire" in best(index, "bonfire").text
    assert not index.search(query_terms("candle")).any()


def test_a_page_changed_behind_the_back_of_its_time_is_seen(site):
    os.utime(site / "lamp.html", ns=(1, 1))
    build(site)
    (site / "lamp.html").write_text(PAGE.format("wick"))
    os.utime(site / "lamp.html", ns=(1, 1))
    assert "wick" in best(build(site), "wick").text


def test_an_index_that_is_not_true_any_more_is_forgotten(site, monkeypatch):
    build(site)
    import longleaf.index.memory as memory

    (site / "lamp.html").write_text(PAGE.format("wick"))
    monkeypatch.setattr(memory, "_unchanged", lambda origin, row: row is not None)
    index = build(site)
    monkeypatch.undo()
    page = next(n for n, e in enumerate(index.entries) if e.url.endswith("lamp.html"))
    with pytest.raises(Unreadable, match="changed"):
        index.tree(page)
    assert "wick" in best(build(site), "wick").text


@pytest.mark.parametrize("damage", [b"", b"not an archive", b"PK\x03\x04" + b"\x00" * 99])
def test_a_damaged_cache_file_is_as_good_as_none(site, damage):
    build(site)
    (file,) = (site.parent / "cache").glob("index-*.npz")
    file.write_bytes(damage)
    assert "lamp" in best(build(site), "lamp").text


def test_a_page_that_changes_under_the_index_is_not_cited(site):
    index = build(site)
    (site / "lamp.html").write_text(PAGE.format("other"))
    page = next(n for n, e in enumerate(index.entries) if e.url.endswith("lamp.html"))
    with pytest.raises(Unreadable, match="changed"):
        index.tree(page)


def test_bad_pages_are_reported_and_the_rest_goes_on(site):
    (site / "bad.html").write_bytes(b"%PDF-1.7")
    index = build(site)
    assert len(index.entries) == 3
    assert index.skipped[0][0].endswith("bad.html")
    with pytest.raises(NoPages, match="no page could be read"):
        MemoryIndex.build([site / "bad.html"])


def test_many_pages_over_processes_give_the_same(site, monkeypatch):
    import longleaf.index.ingest as ingest

    alone = build(site)
    monkeypatch.setattr(ingest, "PARALLEL_BYTES", 0)
    told = []
    together = MemoryIndex.build([site], progress=lambda done, total: told.append((done, total)))
    assert together.entries == alone.entries
    assert list(together.search(query_terms("candle"))) == list(alone.search(query_terms("candle")))
    assert told[-1][0] == told[-1][1]


def test_packed_blocks_come_back_equal(site):
    index = build(site)
    for page in range(3):
        blocks = index.tree(page).blocks
        assert unpack(pack(blocks)) == blocks == index.blocks(page)
