"""Exact search: the index gives what counting by hand gives."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsieve.retrieval.index import LENGTH_WEIGHT, PRIOR_TEXTS, SATURATION, Index, Row

NOW = datetime(2026, 3, 2, tzinfo=UTC)
words = st.lists(st.sampled_from("abcdef"), max_size=8)
vectors = st.one_of(st.none(), st.lists(st.integers(-3, 3), min_size=4, max_size=4).filter(any))
rows = st.lists(st.builds(lambda w, v, d: (tuple(w), v, d), words, vectors, st.integers(0, 5)), max_size=80)


def unit(numbers):
    vector = np.array(numbers, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def row(text, vector, days):
    return Row(words=text, vector=None if vector is None else unit(vector), at=NOW - timedelta(days=days))


def bm25(texts, query):
    """Score by the definition, one text after the other."""
    average = max(1.0, sum(map(len, texts)) / len(texts))
    holding = {word: sum(word in text for text in texts) for word in set(query)}
    total = len(texts) + PRIOR_TEXTS
    weights = {word: max(0.0, math.log((total - n + 0.5) / (n + 0.5))) for word, n in holding.items()}
    reachable = sum(weights.values())

    def score(text):
        norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(text) / average)
        counts = Counter(text)
        found = (weights[w] * (SATURATION + 1) * counts[w] / (counts[w] + norm) for w in weights if counts[w])
        return sum(found) / reachable if reachable else 0.0

    return [score(text) for text in texts]


@given(rows, words, vectors, st.integers(0, 90), st.one_of(st.none(), st.integers(0, 5)))
def test_search_agrees_with_brute_force(texts, query, vector, limit, days):
    index = Index(row(*text) for text in texts)
    asked = None if vector is None else unit(vector)
    since = None if days is None else NOW - timedelta(days=days)
    matches = {match.position: match for match in index.search(asked, query, limit, since)}

    allowed = [at for at, text in enumerate(texts) if days is None or text[2] <= days]
    by_words = dict(enumerate(bm25([text[0] for text in texts], query))) if texts else {}
    by_vector = {
        at: float(unit(text[1]) @ asked) for at, text in enumerate(texts) if asked is not None and text[1] is not None
    }
    assert set(matches) <= set(allowed)
    for at, match in matches.items():
        assert match.word_score == pytest.approx(by_words[at], abs=1e-4)
        assert match.similarity == (pytest.approx(by_vector[at], abs=1e-5) if at in by_vector else None)
    for scores, least in ((by_words, 0.0), (by_vector, -2.0)):
        worthy = sorted((scores[at] for at in allowed if at in scores and scores[at] > least), reverse=True)
        best = worthy[: limit or 0]
        held = sorted((scores[at] for at in matches if at in scores), reverse=True)[: len(best)]
        assert held == pytest.approx(best, abs=1e-4)


@given(rows, st.integers(0, 80), words)
def test_rows_added_later_are_found_as_if_they_had_been_there_from_the_start(texts, first, query):
    whole = Index(row(*text) for text in texts)
    grown = Index(row(*text) for text in texts[:first])
    grown.search(unit([1, 0, 0, 0]), query, 5)
    grown.extend(row(*text) for text in texts[first:])
    asked = unit([1, 2, 0, 1])
    assert grown.search(asked, query, 5) == whole.search(asked, query, 5)
    assert len(grown) == len(texts)


def test_a_vector_of_another_length_is_no_vector():
    index = Index([row(("a",), [1, 0, 0, 0], 0)])
    index.extend([Row(words=("a",), vector=unit([1, 0]), at=NOW)])
    assert [match.similarity for match in index.search(unit([1, 0, 0, 0]), ("a",), 5)] == [1.0, None]
    assert [match.similarity for match in index.search(unit([1, 0]), ("a",), 5)] == [None, None]
