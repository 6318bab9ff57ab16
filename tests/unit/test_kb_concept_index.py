"""The index of concepts finds exactly those texts that `refine.concepts.share` would."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memsieve.kb.refine.concept_index import ConceptIndex
from memsieve.refine.concepts import concepts, share

WORDS = ["熔断", "熔断器", "器", "断", "数据库", "数据", "库", "main.py", "src/main.py", "a/src/main.py", "py", "src"]
WORDS += ["retry", "v1.2", "x/v1.2", "2.5mb", "ab熔断", "熔", "/", "a/", "./main.py", "cache", "한국어", "국어"]
TEXTS = st.lists(st.frozensets(st.sampled_from(WORDS), max_size=6), max_size=8)
SHARES = st.sampled_from([0.0, 0.3, 0.5, 0.8])


def filled(texts):
    index = ConceptIndex()
    for number, each in enumerate(texts):
        index.put(str(number), each)
    return index


@settings(deadline=None)
@given(TEXTS, st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=6), SHARES)
def test_the_index_finds_the_texts_that_comparing_with_each_one_finds(texts, finding, least):
    expected = {str(number) for number, each in enumerate(texts) if share(finding, each) > least}
    assert set(filled(texts).covering(finding, least)) == expected


@settings(deadline=None)
@given(TEXTS, TEXTS, st.frozensets(st.sampled_from(WORDS), min_size=1, max_size=6))
def test_a_text_put_again_counts_as_it_is_now_and_a_removed_one_no_more(before, after, finding):
    index = filled(before)
    for number in range(len(before)):
        index.remove(str(number))
    for number, each in enumerate(after):
        index.put(str(number), frozenset({"old"}))
        index.put(str(number), each)
    assert set(index.covering(finding, 0.5)) == set(filled(after).covering(finding, 0.5))
    assert len(index) == len(after)


def test_a_finding_without_concepts_is_found_in_texts_without_concepts_only():
    index = filled([frozenset(), frozenset({"retry"})])
    assert index.covering(frozenset(), 0.8) == ["0"]


def test_the_nearest_texts_share_what_few_others_hold():
    texts = [
        "Deploys of the payment service wait for the ledger migration.",
        "Deploys of the search service wait for the index migration.",
        "The office kitchen is cleaned by the service on Friday.",
    ]
    index = filled([concepts(text) for text in texts])
    finding = concepts("A payment service deploy before the ledger migration loses bookings.")
    assert index.nearest(finding, 0.1, 5)[0] == "0"
    assert index.nearest(finding, 0.1, 1) == ["0"]
    assert "2" not in index.nearest(finding, 0.2, 5)


def test_texts_that_share_nothing_are_not_near():
    index = filled([concepts("Tokens expire after an hour.")])
    assert index.nearest(concepts("数据库每天凌晨备份。"), 0.0, 5) == []
    assert index.nearest(frozenset(), 0.0, 5) == []
