"""The block for prompts: memories are data in fences that they cannot leave."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memsieve.model import Source
from memsieve.retrieval.context import history_context
from memsieve.testing.factories import answer, item


def outside_of_fences(block):
    """Return the lines a Markdown reader sees outside of code."""
    seen, fence = [], None
    for line in block.split("\n"):
        marks = re.match(r" {0,3}(`{3,})", line)
        if fence is None and marks:
            fence = marks.group(1)
        elif fence is not None and marks and len(marks.group(1)) >= len(fence) and not line.strip("` "):
            fence = None
        elif fence is None:
            seen.append(line)
    assert fence is None
    return "\n".join(seen)


@given(st.lists(st.text(st.sampled_from("`~ \n\rINJECT#>-"), max_size=60), min_size=1, max_size=4), st.booleans())
def test_no_content_gets_out_of_its_fence(contents, hot):
    source = Source.HOT if hot else Source.COLD
    block = history_context(answer([item("x", content + "\n# INJECTED", source) for content in contents]))
    assert "INJECT" not in outside_of_fences(block)
    assert block.count("# INJECTED") == len(contents)


def test_verified_and_unverified_stand_apart_whatever_their_order():
    block = history_context(
        answer([item("h", "hot words", Source.HOT, 0.9), item("c", "cold words"), item("h2", "more hot", Source.HOT)])
    )
    verified, unverified = block.split("### ⚡️ Unverified")
    assert "cold words" in verified
    assert "hot" not in verified
    assert "hot words" in unverified
    assert "more hot" in unverified
    assert "must not be the only basis of a decision" in unverified


def test_every_item_carries_its_label():
    block = history_context(answer([item("h", "hot", Source.HOT), item("c", "cold")]))
    assert "✅ verified · 2026-03-02 · c" in block
    assert "⚡️ unverified · 2026-03-02 · h" in block


def test_an_empty_answer_says_so():
    assert "nothing relevant" in history_context(answer([]))


def test_an_incomplete_answer_says_so():
    assert "working could not be asked" in history_context(replace(answer([]), degraded=("working",)))
