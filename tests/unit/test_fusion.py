"""Verified and unverified side by side: who goes first, and who can never be pushed out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.model import Source
from memsieve.retrieval.fusion import HIGHLY_RELEVANT, fuse, fused, merge
from memsieve.retrieval.index import Match
from memsieve.testing.factories import item

scores = st.floats(0, 1)


def items(source, values):
    ranked = sorted(values, reverse=True)
    return [item(f"{source}{at}", f"{source} {at}", source, score) for at, score in enumerate(ranked)]


@given(st.lists(scores, max_size=8), st.lists(scores, max_size=8))
def test_every_verified_item_stays_and_in_its_order(cold, hot):
    verified = items(Source.COLD, cold)
    merged = merge(verified, items(Source.HOT, hot))
    assert [one for one in merged if one.verified] == verified
    assert len(merged) == len(cold) + len(hot)


@given(st.lists(scores, min_size=1, max_size=8), st.lists(scores, max_size=8))
def test_a_hot_item_stands_before_the_verified_only_when_highly_relevant_and_more_so_than_all_of_them(cold, hot):
    merged = merge(items(Source.COLD, cold), items(Source.HOT, hot))
    first_verified = next(at for at, one in enumerate(merged) if one.verified)

    def goes_first(one):
        return one.score >= HIGHLY_RELEVANT and one.score > max(cold)

    assert all(goes_first(one) for one in merged[:first_verified])
    assert not any(goes_first(one) for one in merged[first_verified:] if not one.verified)


@given(st.one_of(st.none(), st.floats(-1, 1)), st.floats(0, 2))
def test_a_score_is_from_zero_to_one(similarity, word_score):
    assert 0 <= fused(Match(0, similarity, word_score)) <= 1


@given(st.lists(st.tuples(st.one_of(st.none(), st.floats(-1, 1)), st.floats(0, 2)), max_size=8))
def test_many_have_the_scores_that_each_has(pairs):
    similarities, words = (np.array([pair[at] for pair in pairs], np.float64) for at in (0, 1))
    assert fuse(similarities, words).tolist() == pytest.approx([fused(Match(0, *pair)) for pair in pairs])


def test_where_vectors_cannot_tell_the_words_decide_alone():
    assert fused(Match(0, None, 0.4)) == 0.4
    assert fused(Match(0, 0.0, 0.4)) < 0.4
    assert fused(Match(0, -0.5, 0.4)) == fused(Match(0, 0.0, 0.4))


@pytest.mark.parametrize("flood", [10, 49])
def test_a_flood_of_unverified_text_pushes_no_verified_memory_out(open_memory, small_embedder, flood):
    project = open_memory(disabled_checks=frozenset({"duplicate"})).project("apollo")
    project.review(by="ada").promote_text("The ledger database is PostgreSQL, approved by the board.")
    for number in range(flood):
        project.record(
            f"The ledger database is PostgreSQL and mirror {number} of it stands in hall {number * 7}.",
            session_id="flood",
            confidence=0.99,
        )
    found = project.retrieve("Which ledger database is PostgreSQL?", max_results=1, max_unverified=5)
    assert [one.content for one in found.items if one.verified] == [
        "The ledger database is PostgreSQL, approved by the board."
    ]
    assert sum(not one.verified for one in found.items) == 5
