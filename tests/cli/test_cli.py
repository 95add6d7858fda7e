"""The commands: standard output, standard error, exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longleaf.cli import main
from longleaf.tokens import default_counter

SITE = Path(__file__).parents[2] / "examples" / "site"
PAGE = SITE / "faq" / "general.html"
QUESTION = "Why was Python created in the first place?"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path / "cache"))


def run(capsys, *args):
    code = main([str(a) for a in args])
    out, err = capsys.readouterr()
    return code, out, err


def test_ask_prints_the_answer_and_its_sources(capsys):
    code, out, err = run(capsys, "ask", QUESTION, PAGE)
    assert code == 0
    assert "[1]" in out
    assert "Sources" in out
    assert f"{PAGE}#" in out
    assert err == ""


def test_streamed_and_whole_answers_are_the_same(capsys):
    streamed = run(capsys, "ask", QUESTION, PAGE)[1]
    assert run(capsys, "ask", QUESTION, PAGE, "--no-stream")[1] == streamed


def test_ask_json(capsys):
    code, out, _ = run(capsys, "ask", QUESTION, PAGE, "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["schema"].startswith("longleaf/")
    assert not answer["abstained"]
    for citation in answer["citations"]:
        assert answer["text"][citation["start"] : citation["end"]].strip()
        assert citation["verdict"] == "supported"
    for step in answer["steps"]:
        assert set(step) == {"n", "plan", "hits", "evidence", "text", "citations", "reason"}


def test_ask_jsonl_ends_with_the_whole_answer(capsys):
    code, out, _ = run(capsys, "ask", QUESTION, PAGE, "--jsonl")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert events[0]["event"] == "Planned"
    assert events[-1]["event"] == "Done"
    text = "".join(e["text"] for e in events if e["event"] == "TextDelta")
    assert events[-1]["answer"]["text"] == text


def test_ask_writes_one_html_file(capsys, tmp_path):
    target = tmp_path / "a.html"
    assert run(capsys, "ask", QUESTION, PAGE, "--html", target)[0] == 0
    html = target.read_text()
    assert "default-src &#x27;none&#x27;" in html or "default-src 'none'" in html
    assert "<script" not in html
    assert 'class="source"' in html


def test_abstaining_is_exit_3_with_the_closest_passages(capsys):
    code, out, err = run(capsys, "ask", "Who won the chess olympiad in Reykjavik in 1972?", PAGE)
    assert code == 3
    assert "do not say" in out
    assert err == ""


def test_prune_stays_within_the_budget(capsys):
    for budget in (60, 300, 1500):
        code, out, _ = run(capsys, "prune", PAGE, "-q", QUESTION, "--budget", budget)
        assert code == 0
        assert 0 < default_counter().count(out.removesuffix("\n")) <= budget


def test_prune_json_and_explain(capsys):
    code, out, err = run(capsys, "prune", PAGE, "-q", QUESTION, "--budget", 400, "--json", "--explain")
    pruned = json.loads(out)
    assert code == 0
    assert pruned["tokens_after"] <= 400 < pruned["tokens_before"]
    kept = [b for b in pruned["blocks"] if b["kept"]]
    assert kept
    assert "fits the budget" in err
    assert sorted(b["rank"] for b in pruned["blocks"]) == list(range(1, len(pruned["blocks"]) + 1))


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_clean_in_every_form(capsys, form):
    code, out, err = run(capsys, "clean", PAGE, "--format", form, "--report")
    assert code == 0
    assert "Guido van Rossum" in out
    assert "script" in err
    assert "jquery" not in out


def test_blocks_json(capsys):
    code, out, _ = run(capsys, "blocks", PAGE, "--json")
    data = json.loads(out)
    assert code == 0
    assert data["document"]["title"].startswith("General Python FAQ")
    assert {"id", "path", "anchor", "kind", "headings", "text", "html", "words", "tokens"} <= set(
        data["blocks"][0]
    )
    assert all(b["tokens"] > 0 for b in data["blocks"] if b["words"])


def test_tree(capsys, tmp_path):
    code, out, _ = run(capsys, "tree", PAGE, "-q", QUESTION, "--budget", 300)
    assert code == 0
    assert "html" in out.splitlines()[0]
    assert " cut" in out
    target = tmp_path / "t.html"
    assert run(capsys, "tree", PAGE, "--html", target)[:2] == (0, "")
    assert "<script" not in target.read_text()


def test_page_from_standard_input(capsys, monkeypatch):
    import io
    import sys

    class Stdin:
        buffer = io.BytesIO(b"<p>The lamp burns for 11 hours.</p>")

    monkeypatch.setattr(sys, "stdin", Stdin())
    code, out, _ = run(capsys, "clean", "-", "--format", "text")
    assert (code, out) == (0, "The lamp burns for 11 hours.\n")


def bad_inputs(tmp_path):
    (tmp_path / "empty.html").write_bytes(b"")
    (tmp_path / "spaces.html").write_bytes(b" \n ")
    (tmp_path / "script.html").write_bytes(b"<script>x()</script>")
    (tmp_path / "binary.html").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "book.pdf").write_bytes(b"%PDF-1.7 ...")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("no page")
    return [
        (["ask", QUESTION, tmp_path / "nothing.html"], 1, "nothing.html"),
        (["ask", QUESTION, tmp_path / "folder"], 1, "no HTML page"),
        (["ask", QUESTION, tmp_path / "empty.html"], 1, "empty"),
        (["ask", QUESTION, tmp_path / "spaces.html"], 1, "empty"),
        (["ask", QUESTION, tmp_path / "script.html"], 1, "no visible text"),
        (["ask", QUESTION, tmp_path / "binary.html"], 1, "binary"),
        (["ask", QUESTION, tmp_path / "book.pdf"], 1, "PDF"),
        (["clean", tmp_path / "binary.html"], 1, "binary"),
        (["clean", tmp_path], 1, "folder"),
        (["prune", tmp_path / "nothing.html", "-q", "x", "--budget", 5], 1, "nothing.html"),
        (["ask", "", PAGE], 2, "question is empty"),
        (["ask", " ?! ", PAGE], 2, "question is empty"),
        (["prune", PAGE, "-q", "", "--budget", 100], 2, "question is empty"),
        (["prune", PAGE, "-q", QUESTION, "--budget", 0], 2, "budget"),
        (["prune", PAGE, "-q", QUESTION, "--budget", -5], 2, "budget"),
        (["ask", QUESTION, PAGE, "--budget", 0], 2, "budget"),
        (["ask", QUESTION, PAGE, "--budget", 7], 2, "7 tokens"),
        (["ask", QUESTION], 2, "SOURCE"),
        (["ask", QUESTION, ""], 2, "source is empty"),
        (["ask", QUESTION, PAGE, "--max-seconds", "nan"], 2, "not a number"),
        (["ask", QUESTION, "http://["], 1, "no address"),
        (["ask", QUESTION, "http://localhost:abc/"], 1, "no address"),
        (["ask", QUESTION, "http://127.0.0.1:9/a b é"], 1, "cannot be reached"),
        (["ask", QUESTION, PAGE, "--max-sentences", 0], 2, "max-sentences"),
        (["nonsense"], 2, "nonsense"),
        (["ask", QUESTION, PAGE, "-m", "ollama/none"], 4, "ollama/none"),
        (["ask", QUESTION, "http://example.org/", "--offline"], 1, "offline"),
        (["ask", QUESTION, "ftp://example.org/"], 1, "ftp"),
    ]


def test_bad_input_gives_one_clear_line_and_the_right_code(capsys, tmp_path):
    for args, wanted, words in bad_inputs(tmp_path):
        code, out, err = run(capsys, *args)
        assert code == wanted, (args, err)
        assert out == "", args
        assert err.count("\n") == 1, (args, err)
        assert words in err, (args, err)
        assert "Traceback" not in err


def test_errors_as_json(capsys):
    code, out, _ = run(capsys, "ask", QUESTION, "nowhere.html", "--json")
    error = json.loads(out)["error"]
    assert code == 1
    assert error["type"] == "SourceMissing"
    assert "nowhere.html" in error["message"]
    assert error["hint"]


def test_nothing_half_written_after_a_failure(capsys, tmp_path):
    target = tmp_path / "a.html"
    assert run(capsys, "ask", QUESTION, tmp_path / "nothing.html", "--html", target)[0] == 1
    assert not target.exists()


def test_page_of_one_word(capsys, tmp_path):
    page = tmp_path / "word.html"
    page.write_text("<p>Hello</p>")
    assert run(capsys, "clean", page, "--format", "text")[:2] == (0, "Hello\n")
    assert run(capsys, "ask", QUESTION, page)[0] == 3
    assert run(capsys, "prune", page, "-q", QUESTION, "--budget", 50)[1] == (
        "<html><head></head><body><p>Hello</p></body></html>\n"
    )


def test_unknown_encoding_is_read_all_the_same(capsys, tmp_path):
    page = tmp_path / "odd.html"
    page.write_bytes(b'<meta charset="no-such-charset"><p>caf\xe9 \x96 12</p>')
    assert run(capsys, "clean", page, "--format", "text")[:2] == (0, "café \u2013 12\n")


@pytest.mark.parametrize("command", ["ask", "blocks", "clean", "prune", "tree"])
def test_every_command_has_help(capsys, command):
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert "Usage:" in out


def test_a_file_that_cannot_be_written_is_said_so(capsys, tmp_path):
    code, _, err = run(capsys, "ask", QUESTION, PAGE, "--html", tmp_path / "no" / "a.html")
    assert code == 2
    assert "a.html" in err
    assert "LONGLEAF_CACHE" not in err


def test_json_and_jsonl_do_not_go_together(capsys):
    assert run(capsys, "ask", QUESTION, PAGE, "--json", "--jsonl")[0] == 2


def shell(args, tmp_path, **options):
    environment = {**os.environ, "LONGLEAF_CACHE": str(tmp_path / "cache"), **options.pop("env", {})}
    command = [sys.executable, "-m", "longleaf", *map(str, args)]
    return subprocess.run(command, capture_output=True, env=environment, check=False, **options)


def test_no_terminal_encoding_or_file_name_breaks_the_output(tmp_path):
    name = os.fsencode(tmp_path) + b"/odd\xff.html"
    with open(name, "w", encoding="utf-8") as file:
        file.write("<p>The Pro plan costs 12 \u20ac a month.</p>")
    for encoding in ("utf-8", "latin-1", "ascii"):
        for args in (
            ("ask", "What does the Pro plan cost?"),
            ("clean",),
            ("prune", "-q", "caf\udce9 Pro", "--budget", 99),
        ):
            done = shell([*args, os.fsdecode(name)], tmp_path, env={"PYTHONIOENCODING": encoding})
            assert done.returncode == 0, done.stderr
            assert b"Pro plan" in done.stdout
            assert b"Traceback" not in done.stderr
    done = shell(
        ["ask", "What does the Pro plan cost?", os.fsdecode(name), "--html", tmp_path / "a.html"], tmp_path
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_under_the_output_is_one_line(tmp_path):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "longleaf", "clean", str(PAGE)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1


def test_an_interrupt_ends_a_parallel_read_at_once(tmp_path):
    text = "<p>" + "The Pro plan costs 12 euros a month. " * 4000
    folder = tmp_path / "site"
    folder.mkdir()
    for n in range(60):
        (folder / f"{n}.html").write_text(f"{text}{n}")
    environment = {**os.environ, "LONGLEAF_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "longleaf", "ask", QUESTION, str(folder)]
    for wait in (0.4, 0.7, 1.0):
        started = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, start_new_session=True
        )
        time.sleep(wait)
        os.kill(started.pid, signal.SIGINT)
        os.killpg(started.pid, signal.SIGINT)  # people press twice
        _, err = started.communicate(timeout=60)
        assert started.returncode == 130
        assert b"Traceback" not in err
