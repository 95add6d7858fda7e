"""Words, sentences, terms."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.language import (
    collapse,
    count_words,
    has_word,
    sentence_spans,
    stem,
    terms,
    word_starts,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" — ! ", []),
        ("the lamp's 3.5 hours", ["the", "lamp's", "3.5", "hours"]),
        ("well-known — not re-", ["well-known", "not", "re"]),
        ("x_1, f(y)", ["x_1", "f", "y"]),
        ("naïve Straße", ["naïve", "Straße"]),
        ("保修期3年", ["保", "修", "期", "3", "年"]),
        ("ราคา 5", [*"ราคา", "5"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected
    assert count_words(text) == len(expected)
    assert has_word(text) == bool(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One two. Three four!", ["One two.", "Three four!"]),
        ("See e.g. Figure 2. Then go.", ["See e.g. Figure 2.", "Then go."]),
        ("Dr. A. Smith said so. He left.", ["Dr. A. Smith said so.", "He left."]),
        ("It is 3.5 volts. ok then", ["It is 3.5 volts. ok then"]),
        ("So am I. You too.", ["So am I.", "You too."]),
        ("Wait... What? Yes.", ["Wait...", "What?", "Yes."]),
        ('He said "Stop." Then left.', ['He said "Stop."', "Then left."]),
        ("line one\n\nline two", ["line one", "line two"]),
        ("保修期为两年。从购买起算！", ["保修期为两年。", "从购买起算！"]),
        ("python 3.11. ¿Qué? (Why.) No", ["python 3.11.", "¿Qué?", "(Why.)", "No"]),
    ],
)
def test_sentences(text, expected):
    assert [text[a:b] for a, b in sentence_spans(text)] == expected


@given(st.text("ab.I!? \n。e.g", max_size=60))
def test_sentences_leave_out_nothing_but_white_space(text):
    spans = sentence_spans(text)
    assert collapse("".join(text[a:b] for a, b in spans)).replace(" ", "") == collapse(text).replace(" ", "")
    assert all(a < b and not text[a].isspace() and not text[b - 1].isspace() for a, b in spans)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))


@given(st.text(max_size=60))
def test_word_starts_are_where_the_words_are(text):
    found = words(text)
    starts = word_starts(text)
    assert [text[at : at + len(word)] for at, word in zip(starts, found, strict=True)] == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do I parse arguments?", ["pars", "argument"]),
        ("add_argument()", ["add", "argument"]),
        ("ArgumentParser", ["argumentpars", "argument", "parser"]),
        ("not without", ["not", "without"]),
        ("ＦＵＬＬ width", ["full", "width"]),
        ("保修期", ["保修", "修期"]),
        ("年", ["年"]),
        ("the of and", []),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_a_question_and_a_text_meet_in_their_terms():
    assert set(terms("How are lists sorted?")) <= set(terms("Sorting a list sorts lists in place"))
    assert stem("argument") == stem("arguments")
    assert stem("東京") == "東京"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("한국어 문장입니다", ["한국어", "문장입니다"]),
        ("カタカナと漢字", ["カタカナ", "と", "漢", "字"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("مُحَمَّد", ["مُحَمَّد"]),
        ("cafe\u0301 re\u0301sume\u0301", ["cafe\u0301", "re\u0301sume\u0301"]),
    ],
)
def test_words_of_other_scripts(text, found):
    assert words(text) == found
