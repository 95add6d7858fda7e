"""A block that does not fit is cut to what says most about the question, not to its beginning."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf import Document
from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.prune import prune
from longleaf.prune.window import windows
from longleaf.units import cut_points
from strategies import pages

PRICES = (
    "<h1>Plans and pricing</h1><p>Choose the plan that fits your team. All include support.</p><table>"
    "<tr><th>Plan</th><th>Price</th><th>Seats</th></tr><tr><td>Basic</td><td>$0</td><td>1</td></tr>"
    "<tr><td>Pro</td><td>$12 a month</td><td>10</td></tr><tr><td>Team</td><td>$49</td><td>9</td></tr></table>"
)
HELP = (
    "<h1>Help</h1><h2>How do I change my password?</h2><p>Open the sign-in page. A link comes by mail.</p>"
    "<h2>How do I delete my account?</h2><p>Open Settings and press the red button. It takes 30 days.</p>"
)
CLIENT = (
    "<dl><dt>connect(host)</dt><dd>Opens a connection. Raises an error when nobody answers.</dd>"
    "<dt>send(data)</dt><dd>Sends bytes.</dd><dt>close()</dt><dd>Waits for what is pending.</dd></dl>"
)
STEPS = "<h1>Bread</h1><ol><li>Mix flour and salt.<li>Add water.<li>Knead well.<li>Bake for 40 minutes.</ol>"


@pytest.mark.parametrize(
    ("html", "question", "budget", "kept", "cut"),
    [
        (
            PRICES,
            "What does Pro cost?",
            90,
            ["<th>Price</th>", "$12 a month"],
            ["Basic", "Choose"],
        ),
        (HELP, "How do I delete my account?", 55, ["<h2>How do I delete", "red button"], ["sign-in"]),
        (CLIENT, "What does close do?", 40, ["<dt>close()</dt>", "Waits for"], ["connect"]),
        (STEPS, "How long do I bake it?", 40, ["<h1>Bread</h1>", '<li value="4">Bake for 40'], ["Mix"]),
        (STEPS, "Who wrote this?", 40, ["<h1>Bread</h1>", "<li>Mix"], ["Bake"]),
    ],
)
def test_the_part_that_answers_is_kept(html, question, budget, kept, cut):
    found = prune(html, question, budget, "lexical")
    assert found.tokens_after <= budget
    assert [text for text in kept if text not in found.html] == []
    assert [text for text in cut if text in found.html] == []


@given(pages(), st.sampled_from(["lamp", "beside the lamp", "nothing here"]), st.sampled_from([4, 40]))
def test_parts_grow_inside_their_block_and_begin_and_end_where_it_may_be_cut(html, question, limit):
    tree = block_tree(clean(Document.from_html(html)), limit)
    nodes = tree.page.nodes
    for block in tree.blocks:
        parts = windows(nodes, block, question)
        edges = {block.span.start, block.span.end, *cut_points(nodes, block)}
        assert all(part.start in edges and part.end in edges for part in parts)
        assert block.span not in parts
        for small, large in pairwise(parts):
            assert large.start <= small.start < small.end <= large.end
            assert small != large
