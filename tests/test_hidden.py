"""What a page hides is set aside, and what it only folds, moves or fades in stays."""

import pytest

from longleaf.clean import clean
from longleaf.colours import colour_in, look_alike
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document


def text(html):
    return to_text(clean(Document.from_html(html)).nodes)


def reasons(html):
    return {r.reason for r in clean(Document.from_html(html)).removed}


@pytest.mark.parametrize(
    ("style", "reason"),
    [
        ("display:none", "hidden: display none"),
        ("display:block;display:none", "hidden: display none"),
        ("display:none!important;display:block", "hidden: display none"),
        ("dis\\70lay:/**/none", "hidden: display none"),
        ("content-visibility:hidden", "hidden: display none"),
        ("visibility:collapse", "hidden: visibility"),
        ("opacity:0%", "hidden: opacity 0"),
        ("opacity:.01", "hidden: opacity 0"),
        ("font-size:1px", "hidden: zero size"),
        ("font:0/0 a", "hidden: zero size"),
        ("transform:scale(0)", "hidden: zero size"),
        ("width:0;height:0;overflow:hidden", "hidden: zero size"),
        ("max-width:0px;max-height:0px;overflow:hidden", "hidden: zero size"),
        ("position:absolute;top:-600px", "hidden: off screen"),
        ("margin-left:-9999px", "hidden: off screen"),
        ("text-indent:-999em", "hidden: off screen"),
        ("transform:translateX(-9999px)", "hidden: off screen"),
        ("translate:-9999px", "hidden: off screen"),
        ("clip:rect(0 0 0 0)", "hidden: clipped away"),
        ("clip:rect(1px,1px,1px,1px)", "hidden: clipped away"),
        ("clip-path:circle(0)", "hidden: clipped away"),
        ("clip-path:polygon(0 0, 0 0, 0 0)", "hidden: clipped away"),
        ("color:transparent", "hidden: transparent"),
        ("color:rgba(10, 20, 30, 0)", "hidden: transparent"),
        ("color:rgb(0 0 0 / 2%)", "hidden: transparent"),
        ("-webkit-text-fill-color:#0000", "hidden: transparent"),
        ("color:#FFF;background:white", "hidden: text in the background's colour"),
        ("color:rgb(255,255,255);background-color:#fefefe", "hidden: text in the background's colour"),
        ("color:hsl(0,0%,100%);background:#ffffffff", "hidden: text in the background's colour"),
        ("color:white", "hidden: text in the background's colour"),
    ],
)
def test_a_style_that_hides_is_found(style, reason):
    html = f"<p>seen</p><p style='{style}'>unseen</p>"
    assert text(html) == "seen"
    assert reason in reasons(html)


@pytest.mark.parametrize(
    "style",
    [
        "display:none;display:block",
        "position:absolute;left:50%;margin-left:-1000px;width:2000px",
        "margin-left:120px;text-indent:-120px",
        "margin-left:-9999px;padding-left:9999px",
        "position:relative;top:-150px",
        "left:-120px",
        "opacity:0;animation:appear 1s forwards",
        "opacity:0;transform:translateY(20px)",
        "height:0;overflow:hidden",
        "clip:rect(0, 200px, 100px, 0)",
        "clip:auto",
        "color:transparent;background-clip:text;background-image:linear-gradient(red, blue)",
        "color:transparent;text-shadow:0 0 5px black",
        "color:white;background:url(dark.png)",
        "color:white;background:#123456",
        "font:italic 700 12px/1.5 Georgia",
        "font-size:0.9em",
    ],
)
def test_a_style_that_moves_folds_or_fades_hides_nothing(style):
    assert text(f"<p>seen</p><p style='{style}'>shown</p>") == "seen\nshown"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<div style='visibility:hidden'>no<p style='visibility:visible'>yes</p>no</div>", "yes"),
        ("<div style='font-size:0'>no <div style='font-size:13px'>yes</div><b>no</b></div>", "yes"),
        (
            "<div style='font-size:0'><p style='font-size:1em'>no</p><p style='font-size:1rem'>yes</p></div>",
            "yes",
        ),
        ("<div style='text-indent:-9999px'>no<p style='text-indent:0'>yes</p></div>", "yes"),
        ("<div style='color:transparent'><b>no</b><p style='color:red'>yes</p></div>", "yes"),
        ("<div style='color:#fff;background:#fff'>no<p style='color:#000'>yes</p></div>", "yes"),
        ("<div style='display:none'>no<p style='display:block'>no</p></div>", ""),
        ("<p hidden style='display:block'>yes</p>", "yes"),
    ],
)
def test_what_shows_again_inside_hidden_text_stays_and_nothing_else(html, shown):
    assert text(f"<p>seen</p>{html}") == f"seen\n{shown}".strip()


def test_each_hidden_part_is_reported():
    html = "<p>a</p><div style='font-size:0'>one <b>two</b><p style='font-size:9px'>yes</p></div>"
    removed = clean(Document.from_html(html)).removed
    assert [(r.reason, r.chars) for r in removed] == [("hidden: zero size", 3), ("hidden: zero size", 3)]


@pytest.mark.parametrize(
    ("html", "hides"),
    [
        ("<table bgcolor=white><td><font color=white>odd</font></table>", True),
        ("<div style='background:#222'><p style='color:#222'>odd</p></div>", True),
        ("<div style='background:#222'><p style='color:#eee'>odd</p></div>", False),
        ("<div style='background:url(a.png) #222'><p style='color:#222'>odd</p></div>", False),
        ("<link rel=stylesheet href=a.css><p style='color:#fff'>odd</p>", False),
        ("<style>p{}</style><div style='background:#fff'><p class=x style='color:#fff'>odd</p></div>", False),
        ("<style>p{}</style><div style='background:#fff'><p style='color:#fff'>odd</p></div>", True),
    ],
)
def test_text_in_the_colour_behind_it_hides_where_no_sheet_can_change_it(html, hides):
    assert ("odd" in text(f"<p>seen</p>{html}")) is not hides


def test_a_page_that_a_script_shows_is_shown_and_a_small_part_is_not():
    assert text("<div style='opacity:0'><h1>Title</h1><p>All that is said.</p></div><p>x</p>").startswith(
        "Title"
    )
    assert text("<p>All that is said on a page.</p><div style='opacity:0'><h1>Odd</h1></div>").endswith(
        "page."
    )


WIKIPEDIA = """<p>Energy <span style="display: none;"><math><mi>E</mi><mo>=</mo><mi>m</mi></math></span><img
class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle E=m}"
src="e.svg">, he said.</p>"""


def test_a_formula_that_is_shown_as_a_picture_is_kept_once():
    assert text(WIKIPEDIA) == "Energy E=m, he said."
    assert text(WIKIPEDIA.replace("math>", "i>")) == "Energy {\\displaystyle E=m}, he said."


def test_a_hidden_picture_or_frame_does_not_speak():
    html = "<p>seen</p><img style='display:none' alt=unseen><iframe style='width:0'><p>unseen</p></iframe>"
    assert "unseen" not in to_html(clean(Document.from_html(html)).nodes)


@pytest.mark.parametrize(
    ("value", "colour"),
    [
        ("#abc", (170, 187, 204, 1)),
        ("#aabbcc00", (170, 187, 204, 0)),
        ("rgb(100%, 0%, 50%)", (255, 0, 127.5, 1)),
        ("hsla(120, 100%, 50%, .5)", (0, 255, 0, 0.5)),
        ("no-repeat white", (255, 255, 255, 1)),
        ("var(--white)", None),
        ("inherit", None),
        ("rgb(1)", None),
    ],
)
def test_colours(value, colour):
    assert colour_in(value) == (pytest.approx(colour) if colour else None)


def test_colours_that_look_alike():
    assert look_alike((255, 255, 255, 1), (250, 250, 250, 1))
    assert not look_alike((255, 255, 255, 1), (0, 0, 0, 1))
    assert not look_alike((255, 255, 255, 1), (255, 255, 255, 0.5))
