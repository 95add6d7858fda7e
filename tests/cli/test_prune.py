"""``longleaf prune``: options, what goes to standard error, and the file with the view."""

import json
import sys
from pathlib import Path

import pytest

from longleaf.cli import main
from longleaf.cli.tree import _colour
from longleaf.tokens import WordCounter, default_counter

SITE = Path(__file__).parents[2] / "examples" / "site"
PAGE = SITE / "library" / "getopt.html"
OTHER = SITE / "tutorial" / "venv.html"
QUESTION = "How do I parse long options?"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path / "cache"))


def run(capsys, *args):
    code = main(["prune", "-q", QUESTION, *(str(a) for a in args)])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_budget_or_a_preset_is_needed(capsys):
    code, out, err = run(capsys, PAGE)
    assert (code, out) == (2, "")
    assert "--budget" in err
    code, out, err = run(capsys, PAGE, "--preset", "fast", "--json")
    assert code == 0
    data = json.loads(out)
    assert (data["pruner"], data["budget"]) == ("lexical", 4096)
    assert err == ""


def test_fill_and_floor(capsys):
    plain = run(capsys, PAGE, "--budget", 360, "--pruner", "lexical")[1]
    full = run(capsys, PAGE, "--budget", 360, "--pruner", "lexical", "--fill")[1]
    count = default_counter().count
    assert count(plain) < count(full) <= 361  # and the line end
    code, out, err = run(
        capsys, PAGE, "--budget", 5000, "--pruner", "lexical", "--floor", 2.5, "--explain", "--json"
    )
    data = json.loads(out)
    assert code == 0
    assert data["stopped_by"] == "floor"
    assert "stopped by the floor" in err
    assert "below the floor of 2.5" in err
    assert all(row["score"] >= 2.5 for row in data["blocks"] if row["kept"])


def test_another_tokenizer_counts_the_budget(capsys):
    code, out, _ = run(capsys, PAGE, "--budget", 60, "--tokenizer", "words", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["tokenizer"] == "words"
    assert WordCounter().count(data["html"]) == data["tokens_after"] <= 60
    code, out, err = run(capsys, PAGE, "--budget", 60, "--tokenizer", "nothing.json")
    assert (code, out) == (2, "")
    assert "nothing.json" in err
    assert err.count("\n") == 1


def test_a_budget_below_the_smallest_block_is_said_in_one_line(capsys):
    code, out, err = run(capsys, PAGE, "--budget", 40, "--pruner", "lexical")
    assert code == 0
    assert out.strip()
    assert err.startswith("longleaf: no ")
    assert err.count("\n") == 1


def test_a_bad_page_among_several_is_told_and_the_rest_is_pruned(capsys, tmp_path):
    empty = tmp_path / "empty.html"
    empty.write_text("<p> </p>")
    gone = tmp_path / "gone.html"
    code, out, err = run(capsys, gone, empty, PAGE, OTHER, "--budget", 800, "--pool", "page", "--json")
    data = json.loads(out)
    assert code == 0
    assert [Path(d["url"]) for d in data["documents"]] == [PAGE, OTHER]
    assert str(gone) in err and str(empty) in err
    assert [note for note in data["notes"] if "left out" in note] == data["notes"]
    assert {row["document_id"] for row in data["blocks"] if row["kept"]} == {
        d["id"] for d in data["documents"]
    }
    assert str(PAGE) in data["html"]


def test_when_every_page_is_bad_the_first_reason_is_the_error(capsys, tmp_path):
    empty = tmp_path / "empty.html"
    empty.write_text("<p> </p>")
    code, out, err = run(capsys, tmp_path / "gone.html", empty, "--budget", 80)
    assert (code, out) == (1, "")
    assert "gone.html" in err
    assert err.count("\n") == 1
    code, out, err = run(capsys, empty, tmp_path / "gone.html", "--budget", 80)
    assert (code, out) == (1, "")
    assert "gone.html" in err or "empty.html" in err


def test_the_view_is_written_as_well(capsys, tmp_path):
    target = tmp_path / "view.html"
    code, out, _ = run(capsys, PAGE, "--budget", 300, "--view", target)
    assert code == 0
    assert out.startswith("<html")
    written = target.read_text()
    assert 'class="longleaf-pruned"' in written
    assert "<script" not in written


@pytest.mark.parametrize(
    ("terminal", "variables", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colour_only_on_a_terminal_that_wants_it(monkeypatch, terminal, variables, wanted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert _colour() is wanted
