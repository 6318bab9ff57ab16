"""Neighbouring messages of a session share their words, and nothing else does."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.model import Origin
from memsieve.retrieval.index import Index, Row
from memsieve.retrieval.neighbours import ENOUGH, SHARES, Sessions, expand_with_neighbours

NOW = datetime(2026, 3, 2, tzinfo=UTC)
moments = st.lists(st.tuples(st.sampled_from("st"), st.integers(0, 60)), max_size=30)


def origin(minutes, session="s"):
    return Origin(session_id=session, at=NOW + timedelta(minutes=minutes))


# Words enough to take the full share.
REST = tuple(f"w{number}" for number in range(ENOUGH))


def row(text, minutes, session="s", at=NOW, rest=REST):
    return Row(
        words=(*text.split(), *rest), vector=None, at=at, origin=None if session is None else origin(minutes, session)
    )


def found(rows, query, since=None):
    """Return the scores by words of all that is found, by position."""
    matches = Index(rows).search(None, query.split(), 5, since)
    return {match.position: match.word_score for match in matches}


@given(moments)
def test_a_text_is_linked_to_the_two_before_and_after_it_in_its_session(said):
    sessions = Sessions()
    for position, (session, minutes) in enumerate(said):
        sessions.add(position, origin(minutes, session))
    order = {name: sorted((m, p) for p, (s, m) in enumerate(said) if s == name) for name in "st"}
    expected = {
        (one, other, abs(here - there) - 1)
        for texts in order.values()
        for here, (_, one) in enumerate(texts)
        for there, (_, other) in enumerate(texts)
        if 0 < abs(here - there) <= len(SHARES)
    }
    assert set(map(tuple, sessions.links(range(len(said))).tolist())) == expected


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=8), st.data())
def test_a_word_counts_as_much_as_the_nearest_that_holds_it(parts, data):
    positions = st.integers(0, len(parts) - 1)
    links = data.draw(st.lists(st.tuples(positions, positions, st.integers(0, len(SHARES) - 1)), max_size=10))
    lengths = data.draw(st.lists(st.integers(0, 2 * ENOUGH), min_size=len(parts), max_size=len(parts)))
    expected = []
    for at, own in enumerate(parts):
        due = min(1, lengths[at] / ENOUGH)
        others = [[SHARES[n] * due * x for x in parts[b]] for a, b, n in links if a == at]
        others += [[SHARES[n] * due * x for x in parts[a]] for a, b, n in links if b == at]
        expected.append(sum(max(column) for column in zip(own, *others, strict=True)))
    scores = expand_with_neighbours(np.array(parts), np.array(lengths, float), np.array(links, np.intp).reshape(-1, 3))
    assert scores.tolist() == pytest.approx(expected)


def test_the_answer_to_a_question_is_found_by_the_words_of_the_question():
    rows = [row("where harbour", 0), row("rotterdam", 1), row("weather", 2), row("tax", 3)]
    scores = found(rows, "harbour")
    assert scores[0] > scores[1] > scores[2] > 0
    assert 3 not in scores


def test_a_text_has_each_word_once_however_many_neighbours_hold_it():
    one, many = (found([row("harbour", 0), row(text, 1), row("harbour", 2)], "harbour") for text in ("x", "harbour"))
    assert one[1] == pytest.approx(SHARES[0] * one[0])
    assert many[1] == pytest.approx(many[0])


def test_a_text_of_few_words_is_lent_little():
    short = found([row("harbour", 0), row("yes please", 1, rest=())], "harbour")
    whole = found([row("harbour", 0), row("yes please", 1)], "harbour")
    assert short[1] / short[0] == pytest.approx(SHARES[0] * 2 / ENOUGH)
    assert whole[1] / whole[0] == pytest.approx(SHARES[0])


@pytest.mark.parametrize(
    "other",
    [row("rotterdam", 1, session="t"), row("rotterdam", 1, session=None), row("rotterdam", 60 * 24 + 1)],
    ids=["in another session", "nowhere", "on another day"],
)
def test_what_was_said_elsewhere_is_lent_nothing(other):
    assert set(found([row("where harbour", 0), other], "harbour")) == {0}


def test_what_is_too_old_for_a_question_neither_comes_along_nor_counts():
    old = NOW - timedelta(days=3)
    assert set(found([row("harbour", 0), row("rotterdam", 1, at=old)], "harbour", since=NOW)) == {0}
    assert found([row("harbour", 0, at=old), row("rotterdam", 1)], "harbour", since=NOW) == {}
