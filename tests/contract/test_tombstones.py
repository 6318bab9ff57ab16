"""What `ports.TombstoneStore` promises."""

import hashlib

import pytest

from memsieve.errors import Conflict, Forbidden
from memsieve.model import ReviewStatus
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import agent, approval, chunks, digest, entry, insight, person, system, tombstone


def nearest(run, stores, text, limit=10, project="apollo"):
    vector = WordEmbedder().vector(text)
    found = run(stores.tombstones.nearest(agent(project), vector, tuple(text.split()), limit))
    return {grave.content for grave in found}


def promote(run, stores, text, project="apollo"):
    yes = approval(text, person(project))
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


def waiting(run, stores):
    said = entry("what was said")
    run(stores.quarantine.add(agent(), said))
    made = insight([said], "alpha")
    run(stores.digests.save(system(), digest(made)))
    return made


def decision(run, stores, made):
    return run(stores.digests.get(person(), made.id)).decision


def test_a_tombstone_is_written_with_its_line(stores, run):
    grave = tombstone("alpha beta", "e1")
    assert run(stores.tombstones.add(person(), grave))
    assert run(stores.tombstones.nearest(agent(), grave.embedding, (), 5)) == [grave]
    [event] = run(stores.audit.events(person()))
    assert (event.actor, event.action, event.subject, event.reason) == (
        "ada@example.org",
        "dismissed",
        "e1",
        "It is wrong.",
    )


def test_a_source_has_one_tombstone_and_the_first_stands(stores, run):
    first = run(stores.tombstones.add(person(), tombstone("alpha", "e1")))
    assert run(stores.tombstones.add(person(name="bob"), tombstone("alpha", "e1"))) == first
    assert len(run(stores.audit.events(person()))) == 1


def test_a_source_can_be_buried_again_after_its_tombstone_was_lifted(stores, run):
    run(stores.tombstones.add(person(), tombstone("alpha", "e1")))
    promote(run, stores, "alpha")
    assert nearest(run, stores, "alpha") == set()
    assert run(stores.tombstones.add(person(), tombstone("alpha", "e1")))
    assert nearest(run, stores, "alpha") == {"alpha"}


@pytest.mark.parametrize("scope", [agent(), system()])
def test_only_persons_bury(stores, run, scope):
    with pytest.raises(Forbidden):
        run(stores.tombstones.add(scope, tombstone("alpha")))
    assert nearest(run, stores, "alpha") == set()


def test_the_nearest_tombstones_by_vector_and_by_words_are_given(stores, run):
    for text in ("alpha beta", "alpha gamma", "omega psi"):
        run(stores.tombstones.add(person(), tombstone(text)))
    found = run(stores.tombstones.nearest(agent(), WordEmbedder().vector("alpha beta"), ("omega",), 1))
    assert {grave.content for grave in found} == {"alpha beta", "omega psi"}


def test_a_chinese_tombstone_is_found_by_its_words(stores, run):
    run(stores.tombstones.add(person(), tombstone("预算在三月批准")))
    found = run(stores.tombstones.nearest(agent(), None, ("预算", "批准"), 5))
    assert [grave.content for grave in found] == ["预算在三月批准"]


def test_tombstones_stay_within_their_project(stores, run):
    run(stores.tombstones.add(person(), tombstone("alpha")))
    assert nearest(run, stores, "alpha", project="gemini") == set()


def test_another_process_sees_a_tombstone_and_its_lifting_at_once(stores, other_process, run):
    run(stores.tombstones.add(person(), tombstone("alpha")))
    assert nearest(run, other_process, "alpha") == {"alpha"}
    promote(run, stores, "alpha")
    assert nearest(run, other_process, "alpha") == set()


def test_a_tombstone_of_an_insight_settles_it_with_one_line(stores, run):
    made = waiting(run, stores)
    run(stores.tombstones.add(person(name="ann"), tombstone("alpha", made.id)))
    kept = decision(run, stores, made)
    assert (kept.review, kept.by, kept.reason) == (ReviewStatus.DISMISSED, "ann", "It is wrong.")
    [event] = run(stores.audit.events(person()))
    assert (event.actor, event.action, event.subject) == ("ann", "dismissed", made.id)
    assert event.detail == {"insight": made.id, "content": hashlib.sha256(b"alpha").hexdigest()}


def test_an_insight_that_was_dismissed_before_keeps_its_tombstone_and_its_decision(stores, run):
    made = waiting(run, stores)
    first = run(stores.tombstones.add(person(name="ann"), tombstone("alpha", made.id)))
    assert run(stores.tombstones.add(person(name="bob"), tombstone("alpha", made.id))) == first
    assert decision(run, stores, made).by == "ann"
    assert len(run(stores.audit.events(person()))) == 1


def test_an_insight_that_was_promoted_before_is_not_buried(stores, run):
    made = waiting(run, stores)
    yes = approval("alpha", person(name="ann@example.org"), insight_id=made.id)
    run(stores.longterm.add(person(name="ann@example.org"), yes, chunks(yes)))
    with pytest.raises(Conflict, match=r"was promoted by ann@example.org on 2026-03-02 at 09:00 UTC\. Nothing was"):
        run(stores.tombstones.add(person(name="bob"), tombstone("alpha", made.id)))
    assert nearest(run, stores, "alpha") == set()
    assert len(run(stores.audit.events(person()))) == 1


def test_an_insight_stays_dismissed_when_its_tombstone_is_lifted_and_set_again(stores, run):
    made = waiting(run, stores)
    run(stores.tombstones.add(person(name="ann"), tombstone("alpha", made.id)))
    before = decision(run, stores, made)
    promote(run, stores, "alpha")
    assert nearest(run, stores, "alpha") == set()
    assert decision(run, stores, made) == before
    run(stores.tombstones.add(person(name="bob"), tombstone("alpha", made.id)))
    assert nearest(run, stores, "alpha") == {"alpha"}
    assert decision(run, stores, made) == before
