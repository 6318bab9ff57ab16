"""Groups of statements: the same for the same input, whatever the input is."""

import threading

import numpy as np
import pytest

from memsieve.digest import cluster
from memsieve.digest.cluster import graph, groups, idf, points, tfidf
from memsieve.digest.window import deduplicate
from memsieve.model import Receipt
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import admission, entry
from memsieve.text.tokenize import tokenize

SUBJECTS = (
    ("ledger", "kept", "PostgreSQL", "transactions", "balances", "accountants"),
    ("backup", "warehouse", "nightly", "tapes", "restored", "archive"),
    ("gateway", "rejects", "cards", "spaces", "payment", "checkout"),
    ("浏览器", "缓存", "页面", "图片", "过期", "刷新"),
)


def texts(subjects=SUBJECTS, each=6):
    """Return sentences about each subject, every one of which leaves out another word."""
    return [" ".join(words[:n] + words[n + 1 :]) for words in subjects for n in range(each)]


def made_of(said, embedder=None):
    """Return the points of texts, by words alone unless there is an embedder."""
    words = [tokenize(text) for text in said]
    weights = idf(words)
    vectors = [embedder.vector(text) if embedder else None for text in said]
    return points(vectors, [tfidf(each, weights) for each in words])


def grouped(said, embedder=None, owners=None):
    return groups(graph(made_of(said, embedder), range(len(said)) if owners is None else owners))


@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["by words alone", "with vectors"])
def test_what_is_said_about_one_subject_is_one_group(embedder):
    found = grouped(texts(), embedder)
    assert sorted(sorted(group) for group in found) == [list(range(n, n + 6)) for n in range(0, 24, 6)]


def test_groups_come_largest_first_and_then_in_the_order_they_were_said():
    said = [*texts(SUBJECTS[:1], 3), *texts(SUBJECTS[1:2], 5), *texts(SUBJECTS[2:3], 3)]
    assert grouped(said) == [[3, 4, 5, 6, 7], [0, 1, 2], [8, 9, 10]]


def test_the_same_input_gives_the_same_groups():
    said = texts(each=5)
    assert len({repr(grouped(said, WordEmbedder())) for _ in range(5)}) == 1


def test_one_point_is_no_group():
    assert grouped(texts(SUBJECTS[:1], 1)) == []
    assert graph(made_of(["The ledger."]), [0]).company().tolist() == [0.0]


@pytest.mark.parametrize("count", [2, 3, 50])
def test_points_that_are_all_alike_are_one_group(count):
    assert grouped(["The ledger is kept in PostgreSQL."] * count, WordEmbedder()) == [list(range(count))]


def test_very_many_points_that_are_all_alike_still_make_a_group():
    found = grouped(["The ledger is kept in PostgreSQL."] * 2000, WordEmbedder())
    members = [number for group in found for number in group]
    assert len(found[0]) > 10
    assert len(members) == len(set(members))


def test_points_of_one_owner_are_not_joined():
    assert grouped(texts(SUBJECTS[:1]), owners=[0] * 6) == []


def test_what_has_nothing_in_common_is_in_no_group():
    assert grouped([words[0] for words in SUBJECTS]) == []


@pytest.mark.parametrize("said", [["...", "!!!", "???"], ["", "", ""]])
def test_texts_without_a_word_are_points_that_join_nothing(said):
    assert np.isfinite(made_of(said)).all()
    assert grouped(said) == []


def test_some_vectors_may_be_missing():
    said = [*texts(SUBJECTS[:1]), *texts(SUBJECTS[3:])]
    vectors = [WordEmbedder().vector(text) for text in said]
    assert {vector is None for vector in vectors} == {True, False}
    assert grouped(said, WordEmbedder()) == [list(range(6)), list(range(6, 12))]


def test_points_have_the_length_of_one():
    assert np.allclose(np.linalg.norm(made_of(texts(), WordEmbedder()), axis=1), 1)


def test_words_have_the_same_directions_in_every_run():
    first, second = cluster._Directions(), cluster._Directions()
    assert (first["ledger"] == second["ledger"]).all()
    assert not (first["ledger"] == first["backup"]).all()
    assert set(first["\ud800"].tolist()) == {-1, 1}


def test_a_word_that_fewer_texts_hold_tells_more():
    weights = idf([("ledger", "postgr"), ("ledger",), ("ledger", "backup", "backup")])
    assert weights["ledger"] < weights["postgr"] == weights["backup"]
    assert min(weights.values()) > 0


def many():
    """Return a few hundred points about many subjects, each of which is said several times."""
    generator = np.random.default_rng(5)
    subjects = [[f"{letter}{number}word" for letter in "abcdef"] for number in range(60)]
    said = [" ".join(generator.permutation(words)[:5]) for words in subjects for _ in range(8)]
    return [said[number] for number in generator.permutation(len(said))]


def test_where_pivots_are_used_nearly_all_neighbours_are_found_and_no_false_ones(monkeypatch):
    made = made_of(many(), WordEmbedder())
    owners = range(len(made))
    exact = graph(made, owners)
    monkeypatch.setattr(cluster, "_ALL_PAIRS", 100)
    monkeypatch.setattr(cluster, "_PER_CELL", 60)
    found = graph(made, owners)
    pairs, others = ({*zip(one.low.tolist(), one.high.tolist(), strict=True)} for one in (exact, found))
    # A cell holds fewer points, so that the nearest of it may be none of the nearest of all.
    near = {pair for pair in others if float(made[pair[0]] @ made[pair[1]]) > cluster._NO_EDGE}
    assert near == others
    assert len(pairs & others) >= 0.9 * len(pairs)


def test_where_pivots_are_used_the_groups_are_the_same(monkeypatch):
    said = many()
    exact = grouped(said, WordEmbedder())
    assert len(exact) == 60
    monkeypatch.setattr(cluster, "_ALL_PAIRS", 100)
    monkeypatch.setattr(cluster, "_PER_CELL", 60)
    found = grouped(said, WordEmbedder())
    assert found == grouped(said, WordEmbedder())
    assert len({tuple(group) for group in exact} & {tuple(group) for group in found}) >= 54


def test_each_pair_is_in_the_graph_once_though_cells_overlap(monkeypatch):
    monkeypatch.setattr(cluster, "_ALL_PAIRS", 100)
    monkeypatch.setattr(cluster, "_PER_CELL", 60)
    found = graph(made_of(many()), range(480))
    pairs = [*zip(found.low.tolist(), found.high.tolist(), strict=True)]
    assert len(pairs) == len(set(pairs))
    assert all(low < high for low, high in pairs)
    assert (found.weights > 0).all()


def test_company_counts_those_who_say_about_the_same():
    company = graph(made_of([*texts(SUBJECTS[:1]), "A lonely lighthouse keeper"]), range(7)).company()
    assert min(company[:6]) > 3
    assert company[6] == 0


def test_a_saying_has_the_vector_of_the_entry_that_says_least_beside_it():
    fact = "The ledger is kept in PostgreSQL, because it needs real transactions."
    long = f"{fact} Deployments to production need the approval of two reviewers."
    receipts = [Receipt(entry=entry(text), admission=admission()) for text in (long, fact)]
    saying = next(one for one in deduplicate(receipts, threading.Event()) if one.statement.text == fact)
    assert saying.exact
    assert (saying.vector == receipts[1].entry.embedding).all()
