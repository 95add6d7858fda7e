"""Quotes are found in the HTML they came from, and marked without breaking it."""

from longleaf.render.highlight import Quote, mark_quotes
from longleaf.render.sanitise import sanitise, to_markup


def marked(html, *quotes):
    parts, found = mark_quotes(
        sanitise(html),
        [Quote(text, before, after, f"q{n}") for n, (text, before, after) in enumerate(quotes)],
    )
    return to_markup(parts), found


def test_a_quote_across_tags_and_other_white_space():
    html, found = marked("<p>The  <b>old</b>\n lamp</p>", ("The old lamp", "", ""))
    assert html == (
        '<p><span class="at" id="q0"></span><mark>The  </mark><b><mark>old</mark></b><mark>\n lamp</mark></p>'
    )
    assert found == {"q0"}


def test_a_row_of_cells_is_marked_cell_by_cell():
    html, _ = marked("<table><tr><td>a 1</td>\n<td>b</td></tr></table>", ("a 1\tb", "", ""))
    assert html.count("<mark>") == 2
    assert "</td>\n<td>" in html  # white space between cells stays bare, or a browser would move it


def test_figures_are_found_though_the_text_spells_powers_out():
    html, _ = marked("<p>about 10<sup>6</sup> m.</p>", ("about 10^6 m.", "", ""))
    assert "<mark>about 10</mark><sup><mark>6</mark></sup><mark> m.</mark>" in html


def test_punctuation_at_the_ends_is_marked_and_nothing_beyond():
    html, _ = marked("<p>He said (“yes”) twice.</p>", ("(“yes”)", "", ""))
    assert "said <span" in html
    assert "<mark>(“yes”)</mark> twice" in html


def test_punctuation_is_marked_through_inline_tags_but_not_into_the_next_block():
    html, _ = marked("<p>f(<i>a</i>)</p>", ("f(a)", "", ""))
    assert html.endswith("<mark>f(</mark><i><mark>a</mark></i><mark>)</mark></p>")
    assert marked("<p>(<b>a</b></p>", ("(a", "", ""))[0].count("<mark>") == 2
    assert "<mark>" not in marked("<p>a</p><p>) b</p>", ("a)", "", ""))[0].partition("</p>")[2]


def test_the_context_decides_between_two_places():
    html, _ = marked("<p>one lamp, two lamp, three</p>", ("lamp", "two ", ", three"))
    assert "one lamp, two <span" in html


def test_overlapping_quotes_are_cut_where_they_meet():
    html, found = marked("<p>abc def ghi</p>", ("abc def", "", ""), ("def ghi", "", ""))
    assert html.count("<mark>") == html.count("</mark>") == 3
    assert found == {"q0", "q1"}
    assert html.index('id="q0"') < html.index("abc") < html.index('id="q1"') < html.index("def")


def test_two_citations_of_the_same_words_share_the_mark():
    html, found = marked("<p>abc</p>", ("abc", "", ""), ("abc", "", ""))
    assert html.count("<mark>") == 1
    assert found == {"q0", "q1"}


def test_what_is_not_there_is_not_marked():
    assert marked("<p>abc</p>", ("xyz", "", ""), ("", "", ""), ("…", "", "")) == ("<p>abc</p>", set())
