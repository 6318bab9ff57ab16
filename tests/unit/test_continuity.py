"""In which order people see insights, and which one goes on under an old id."""

from datetime import timedelta
from itertools import permutations

import pytest

from memsieve.digest.continuity import in_order, match_clusters, new_id
from memsieve.model import Refinement, RefineOutcome
from memsieve.testing.factories import NOW, entry, insight, source

DAY = timedelta(days=1)


def waiting(outcome=RefineOutcome.OBSERVING, sessions=1, made_at=NOW, **fields):
    sources = [entry(session_id=f"s{number}") for number in range(sessions)]
    refinement = Refinement(outcome=outcome, reason="Because.", observations=sessions)
    return insight(sources, refinement=refinement, made_at=made_at, **fields)


def of(*entry_ids, **fields):
    return insight([source(entry(id=entry_id)) for entry_id in entry_ids], **fields)


def held(entry_ids, quote="The ledger runs on PostgreSQL."):
    return dict.fromkeys(entry_ids, quote)


def test_what_is_ready_comes_first_and_what_is_known_last():
    outcomes = (RefineOutcome.READY, RefineOutcome.OBSERVING, RefineOutcome.TOO_NARROW, RefineOutcome.DUPLICATE)
    made = [waiting(outcome, sessions=9 if outcome is RefineOutcome.DUPLICATE else 1) for outcome in reversed(outcomes)]
    assert [one.refinement.outcome for one in in_order(made, NOW)] == list(outcomes)


def test_what_more_sessions_say_comes_before():
    made = [waiting(sessions=sessions) for sessions in (1, 3, 2)]
    assert [one.sessions for one in in_order(made, NOW)] == [3, 2, 1]


def test_of_equals_the_one_that_waits_longest_comes_first():
    made = [waiting(made_at=NOW - days * DAY) for days in (1, 5, 3)]
    assert [NOW - one.made_at for one in in_order(made, NOW)] == [5 * DAY, 3 * DAY, DAY]


def test_what_nobody_decided_on_in_thirty_days_is_at_the_back_even_if_it_is_ready():
    old, new = waiting(RefineOutcome.READY, 9, NOW - 31 * DAY), waiting(RefineOutcome.DUPLICATE, 1, NOW)
    assert in_order([old, new], NOW) == [new, old]
    assert in_order([old, new], NOW - 2 * DAY) == [old, new]


def test_on_the_thirtieth_day_an_insight_still_has_its_place():
    old, new = waiting(RefineOutcome.READY, 9, NOW - 30 * DAY), waiting()
    assert in_order([old, new], NOW) == [old, new]


def test_the_order_does_not_depend_on_the_order_before():
    made = [waiting(sessions=sessions) for sessions in (1, 1, 2, 2)]
    assert len({tuple(one.id for one in in_order(order, NOW)) for order in permutations(made)}) == 1


def test_nobody_is_lost_by_the_order():
    made = [waiting(sessions=number % 3 + 1, made_at=NOW - number * DAY) for number in range(60)]
    assert sorted(one.id for one in in_order(made, NOW)) == sorted(one.id for one in made)


def test_the_same_sources_of_the_same_project_give_the_same_id_in_any_order():
    assert new_id("apollo", ["a", "b"]) == new_id("apollo", ["b", "a"])
    assert new_id("apollo", ["a", "b"]).startswith("insight-")


@pytest.mark.parametrize(
    ("project", "entries"), [("gemini", ["a", "b"]), ("apollo", ["a"]), ("apollo", ["a", "b", "c"])]
)
def test_another_project_or_other_sources_give_another_id(project, entries):
    assert new_id(project, entries) != new_id("apollo", ["a", "b"])


def test_an_insight_goes_on_where_half_of_its_sources_are():
    old = of("a", "b")
    assert match_clusters([old], [held("xy"), held("bxyz")]) == {1: [old]}
    assert match_clusters([of("a", "b", "c")], [held("axyz")]) == {}


def test_an_insight_goes_on_in_one_cluster_only_the_one_that_holds_most_of_it():
    old = of("a", "b", "c", "d")
    assert match_clusters([old], [held("ab"), held("bcd")]) == {1: [old]}


def test_of_several_that_go_on_in_one_cluster_the_oldest_of_those_that_hold_most_comes_first():
    young, old = of("a", "b", made_at=NOW), of("c", "d", made_at=NOW - DAY)
    partly = of("e", "x", made_at=NOW - 9 * DAY)
    assert match_clusters([partly, young, old], [held("abcde")]) == {0: [old, young, partly]}


def test_nothing_goes_on_where_nothing_waits_or_nothing_was_found():
    assert match_clusters([], [held("ab")]) == {}
    assert match_clusters([of("a")], []) == {}


def test_which_insight_goes_on_does_not_depend_on_the_order_of_those_that_wait():
    made = [of("a", "b"), of("b", "c"), of("c", "d"), of("x")]
    found = [held("abc"), held("cdx")]
    results = [match_clusters(order, found) for order in permutations(made)]
    assert all(result == results[0] for result in results)


def test_of_two_facts_in_the_same_entries_each_goes_on_as_itself():
    one, other = (insight([source(entry(id="a"), quote)]) for quote in ("The one fact.", "The other fact."))
    found = [held("a", "The other fact."), held("a", "The one fact.")]
    assert match_clusters([one, other], found) == {0: [other], 1: [one]}
    assert match_clusters([one, other], found[:1]) == {0: [other]}
