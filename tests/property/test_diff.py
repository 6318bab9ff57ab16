"""A diff may be read in any way but leaves nothing out and adds nothing, whatever the two texts are."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memsieve.digest.diff import word_diff
from memsieve.model import Edit

# Few different words, so that texts share some; and any text at all, lone surrogates too.
WESTERN = ["the ", "cat", " ", "\n", "25", "3.14 ", ", ", "_", "'", "e\u0301", "\u0301", "👩‍💻"]
EASTERN = ["。", "的", "限额", "一百", "不", "ก\u0e34", "が", "か\u3099"]
WORDS = st.sampled_from(WESTERN + EASTERN)
TEXTS = st.lists(WORDS, max_size=30).map("".join) | st.text(st.characters(exclude_categories=[]), max_size=60)


@given(TEXTS, TEXTS)
def test_without_what_was_added_it_is_the_old_text_and_without_what_was_removed_the_new(old, new):
    runs = word_diff(old, new)
    assert "".join(text for edit, text in runs if edit is not Edit.ADDED) == old
    assert "".join(text for edit, text in runs if edit is not Edit.REMOVED) == new


@given(TEXTS, TEXTS)
def test_runs_are_never_empty_and_what_went_stands_before_what_came_in_its_place(old, new):
    runs = word_diff(old, new)
    assert all(text for _, text in runs)
    order = [(first, second) for (first, _), (second, _) in pairwise(runs)]
    assert all(first is not second for first, second in order)
    assert (Edit.ADDED, Edit.REMOVED) not in order


@given(TEXTS, TEXTS)
def test_no_white_space_alone_parts_two_changes(old, new):
    inner = word_diff(old, new)[1:-1]
    assert not any(edit is Edit.SAME and text.isspace() for edit, text in inner)


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text):
    assert word_diff(text, text) == (((Edit.SAME, text),) if text else ())
