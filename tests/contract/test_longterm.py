"""What `ports.LongTermStore` promises."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from memsieve.errors import Conflict, Forbidden, MemsieveError
from memsieve.model import TombstoneKind
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import NOW, agent, approval, chunks, digest, entry, insight, person, system, tombstone
from memsieve.text.tokenize import tokenize


def promote(run, stores, text, project="apollo", at=NOW, entry_ids=()):
    yes = approval(text, person(project), at, entry_ids)
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


def retire(run, stores, memory, project="apollo"):
    graves = [tombstone(chunk.content, chunk.id, TombstoneKind.RETIRED, person(project)) for chunk in memory.chunks]
    return run(stores.longterm.retire(person(project), memory.id, "outdated", graves))


def search(run, stores, text, limit=10, project="apollo", since=None):
    vector = WordEmbedder().vector(text)
    return run(stores.longterm.search(agent(project), vector, tokenize(text), limit, since))


def contents(hits):
    return {hit.content for hit in hits}


def test_a_memory_comes_back_with_its_approval_and_chunks(stores, run):
    text = "\n\n".join(f"Part {number}: " + "word " * 60 for number in range(4)).strip()
    memory = promote(run, stores, text, entry_ids=["e1", "e2"])
    assert run(stores.longterm.get(person(), memory.id)) == memory
    assert (memory.approval.content, memory.approval.by, memory.approval.at) == (text, "ada@example.org", NOW)
    assert memory.approval.entry_ids == ("e1", "e2")
    assert [chunk.position for chunk in memory.chunks] == list(range(len(memory.chunks)))
    assert len(memory.chunks) > 1
    assert memory.retired_at is None


def test_a_memory_is_found_by_the_atom_it_was_made_of_and_the_living_one_first(stores, run):
    first = promote(run, stores, "one", entry_ids=["atom:kb:a"])
    assert run(stores.longterm.get(person(), "atom:kb:a")) == first
    assert first.approval.atoms == ("kb:a",)
    second = promote(run, stores, "two", entry_ids=["atom:kb:a", "e1"])
    retire(run, stores, first)
    assert run(stores.longterm.get(agent(), "atom:kb:a")) == second
    assert (second.approval.entry_ids, second.approval.atoms) == (("atom:kb:a", "e1"), ("kb:a",))
    assert run(stores.longterm.get(person("gemini"), "atom:kb:a")) is None
    assert run(stores.statistics.totals()).promoted == 0


def test_adding_writes_one_audit_line_naming_the_person(stores, run):
    memory = promote(run, stores, "one", entry_ids=["e1"])
    [event] = run(stores.audit.events(person()))
    assert (event.actor, event.action, event.subject) == ("ada@example.org", "promoted", memory.id)
    assert event.detail["entries"] == ["e1"]


@pytest.mark.parametrize("scope", [agent(), system()])
def test_only_persons_add_and_retire(stores, run, scope):
    yes = approval("one")
    with pytest.raises(Forbidden):
        run(stores.longterm.add(scope, yes, chunks(yes)))
    memory = promote(run, stores, "two")
    with pytest.raises(Forbidden):
        run(stores.longterm.retire(scope, memory.id, "tidy", []))
    assert contents(search(run, stores, "one two")) == {"two"}


def test_the_person_who_asks_is_the_one_who_is_named(stores, run):
    yes = approval("one", person(name="mallory"))
    memory = run(stores.longterm.add(person(name="ada"), yes, chunks(yes)))
    assert memory.approval.by == "ada"


def test_a_chunk_that_was_not_approved_undoes_the_whole(stores, run):
    yes = approval("What a person approved.")
    good = chunks(yes)
    bad = replace(good[0], id="bad", position=1, content="What an agent made up.")
    with pytest.raises(MemsieveError):
        run(stores.longterm.add(person(), yes, [*good, bad]))
    assert run(stores.longterm.get(person(), yes.id)) is None
    assert run(stores.longterm.find(person(), None, 10)) == []
    assert run(stores.audit.events(person())) == []
    assert search(run, stores, "approved") == []


def test_content_that_is_verified_already_is_not_written_again(stores, run):
    first = promote(run, stores, "The ledger runs on PostgreSQL.")
    again = promote(run, stores, " The  ledger runs on\nPostgreSQL. ", at=NOW + timedelta(days=1))
    assert again == first
    assert len(run(stores.audit.events(person()))) == 1


def test_new_sources_of_verified_content_are_added_to_it(stores, run):
    first = promote(run, stores, "one", entry_ids=["e1"])
    again = promote(run, stores, "one", entry_ids=["e2", "e1"])
    assert again.id == first.id
    assert again.approval.entry_ids == ("e1", "e2")
    assert len(run(stores.longterm.find(person(), None, 10))) == 1
    assert len(run(stores.audit.events(person()))) == 2


def test_retired_content_can_be_approved_anew(stores, run):
    first = promote(run, stores, "one")
    retire(run, stores, first)
    again = promote(run, stores, "one")
    assert again.id != first.id
    assert contents(search(run, stores, "one")) == {"one"}
    assert run(stores.tombstones.nearest(agent(), WordEmbedder().vector("one"), ("one",), 10)) == []


def test_approval_lifts_the_tombstones_of_its_content_and_sources_only(stores, run):
    said, same, other = entry("first wording"), entry("second wording"), entry("third wording")
    for one in (said, same, other):
        run(stores.tombstones.add(person(), tombstone(one.content, one.id)))
    promote(run, stores, "second wording", entry_ids=[said.id])
    left = run(stores.tombstones.nearest(agent(), WordEmbedder().vector("wording"), ("wording",), 10))
    assert [grave.source_id for grave in left] == [other.id]


def test_a_tombstone_of_another_project_is_not_lifted(stores, run):
    run(stores.tombstones.add(person("gemini"), tombstone("one", scope=person("gemini"))))
    promote(run, stores, "one")
    assert len(run(stores.tombstones.nearest(agent("gemini"), WordEmbedder().vector("one"), ("one",), 10))) == 1


def test_a_memory_is_found_by_its_id_its_chunk_and_its_source(stores, run):
    memory = promote(run, stores, "one", entry_ids=["e1"])
    for any_id in (memory.id, memory.chunks[0].id, "e1"):
        assert run(stores.longterm.get(person(), any_id)) == memory
    assert run(stores.longterm.get(person(), "nobody")) is None


def test_of_two_memories_of_an_entry_the_living_one_is_given(stores, run):
    old = promote(run, stores, "one", entry_ids=["e1"])
    retire(run, stores, old)
    assert run(stores.longterm.get(person(), "e1")).retired_at is not None
    living = promote(run, stores, "one, and more", entry_ids=["e1"])
    newer = promote(run, stores, "one, but otherwise", entry_ids=["e1"])
    retire(run, stores, newer)
    assert run(stores.longterm.get(person(), "e1")).id == living.id


def test_living_memories_are_listed_in_the_order_they_were_approved(stores, run):
    memories = [promote(run, stores, f"text {number}", at=NOW - timedelta(days=number)) for number in range(4)]
    retire(run, stores, memories[1])
    first = run(stores.longterm.find(agent(), None, 2))
    rest = run(stores.longterm.find(agent(), first[-1].id, 10))
    assert [memory.id for memory in (*first, *rest)] == [memories[at].id for at in (0, 2, 3)]


def test_memories_are_listed_from_the_newest_back_without_gaps_or_repeats(stores, run):
    memories = [promote(run, stores, f"text {number}") for number in range(5)]
    retire(run, stores, memories[2])
    seen, after = [], None
    while page := run(stores.longterm.find(agent(), after, 2, newest_first=True)):
        seen += [memory.id for memory in page]
        after = seen[-1]
    assert seen == [memories[at].id for at in (4, 3, 1, 0)]


def test_memories_are_found_by_a_part_of_their_text_in_capitals_or_not(stores, run):
    for text in ("The Ledger runs on PostgreSQL.", "100% of it is audited_twice.", "项目最终决定采用微服务架构。"):
        promote(run, stores, text)

    def found(text):
        return [memory.approval.content[:5] for memory in run(stores.longterm.find(agent(), None, 10, text=text))]

    assert found("ledger RUNS") == ["The L"]
    assert found("微服务") == ["项目最终决"]
    assert (found("0%"), found("_"), found("%"), found("nothing like it")) == (["100% "], ["100% "], ["100% "], [])
    first = run(stores.longterm.find(agent(), None, 1, text="e"))
    assert [memory.approval.content[:4] for memory in first] == ["The "]
    rest = run(stores.longterm.find(agent(), first[0].id, 10, text="e"))
    assert [memory.approval.content[:4] for memory in rest] == ["100%"]


def test_retired_memories_are_listed_where_they_are_asked_for_and_by_whom_they_were_retired(stores, run):
    memories = [promote(run, stores, f"text {number}", entry_ids=[f"e{number}"]) for number in range(3)]
    for memory in memories[:2]:
        retire(run, stores, memory)
    gone = run(stores.longterm.find(agent(), None, 10, retired=True))
    assert [(one.id, one.retired_by, one.retired_reason) for one in gone] == [
        (memory.id, "ada@example.org", "outdated") for memory in memories[:2]
    ]
    assert [one.approval.entry_ids for one in gone] == [("e0",), ("e1",)]
    assert [one.id for one in run(stores.longterm.find(agent(), None, 10, retired=True, text="T 1"))] == [
        memories[1].id
    ]
    assert run(stores.longterm.find(agent("gemini"), None, 10, retired=True)) == []


def test_a_page_goes_on_after_a_memory_that_was_retired_meanwhile(stores, run):
    memories = [promote(run, stores, f"text {number}") for number in range(3)]
    retire(run, stores, memories[0])
    assert [memory.id for memory in run(stores.longterm.find(agent(), memories[0].id, 1))] == [memories[1].id]


def test_another_project_finds_nothing(stores, run):
    memory = promote(run, stores, "The ledger runs on PostgreSQL.", entry_ids=["e1"])
    assert search(run, stores, "ledger PostgreSQL", project="gemini") == []
    assert run(stores.longterm.get(person("gemini"), memory.id)) is None
    assert run(stores.longterm.get(person("gemini"), "e1")) is None
    assert run(stores.longterm.find(person("gemini"), None, 10)) == []
    with pytest.raises(MemsieveError):
        run(stores.longterm.retire(person("gemini"), memory.id, "not mine", []))
    assert len(search(run, stores, "ledger")) == 1


def test_search_gives_the_best_fused_score_among_the_best_of_either_leg(stores, run):
    for text in ("alpha beta gamma", "alpha beta delta", "omega psi chi"):
        promote(run, stores, text)
    vector = WordEmbedder().vector("alpha beta gamma")
    hits = run(stores.longterm.search(agent(), vector, tokenize("omega"), 2))
    assert contents(hits) == {"alpha beta gamma", "omega psi chi"}
    assert len(run(stores.longterm.search(agent(), vector, tokenize("omega"), 1))) == 1


def test_every_hit_carries_both_scores(stores, run):
    promote(run, stores, "alpha beta")
    promote(run, stores, "数据库采用微服务架构")
    hits = {hit.content: hit for hit in search(run, stores, "alpha beta")}
    assert hits["alpha beta"].similarity == pytest.approx(1, abs=1e-3)
    assert hits["alpha beta"].word_score > 0
    [chinese] = run(stores.longterm.search(agent(), None, tokenize("微服务"), 5))
    assert chinese.similarity is None
    assert chinese.word_score > 0


def test_a_hit_says_who_approved_it_and_when(stores, run):
    memory = promote(run, stores, "alpha beta")
    [hit] = search(run, stores, "alpha")
    assert (hit.memory_id, hit.promoted_by, hit.promoted_at) == (memory.id, "ada@example.org", NOW)
    assert (hit.chunk_id, hit.content) == (memory.chunks[0].id, "alpha beta")


def test_a_text_of_average_length_with_each_word_once_has_the_word_score_one(stores, run):
    promote(run, stores, "alpha beta gamma")
    [hit] = search(run, stores, "gamma alpha beta")
    assert hit.word_score == pytest.approx(1, abs=1e-4)
    [half] = search(run, stores, "gamma sigma")
    assert 0 < half.word_score < 0.6


def test_a_rare_word_weighs_more_than_a_common_one(stores, run):
    for number in range(20):
        promote(run, stores, f"common filler{number}")
    promote(run, stores, "rare filler")
    scores = {hit.content: hit.word_score for hit in search(run, stores, "common rare", limit=30)}
    assert scores["rare filler"] > scores["common filler3"] > 0


def test_the_limit_holds_for_each_leg(stores, run):
    for number in range(12):
        promote(run, stores, f"alpha filler{number}")
    assert len(run(stores.longterm.search(agent(), None, ("alpha",), 5))) == 5
    assert len(run(stores.longterm.search(agent(), WordEmbedder().vector("alpha"), (), 5))) == 5
    assert run(stores.longterm.search(agent(), WordEmbedder().vector("alpha"), ("alpha",), 0)) == []


def test_nothing_older_than_since_is_found(stores, run):
    promote(run, stores, "alpha old", at=NOW - timedelta(days=2))
    promote(run, stores, "alpha new", at=NOW)
    assert contents(search(run, stores, "alpha", since=NOW - timedelta(days=1))) == {"alpha new"}
    assert contents(search(run, stores, "alpha", since=NOW)) == {"alpha new"}


def test_the_best_since_then_is_found_behind_many_better_but_older(stores, run):
    for number in range(30):
        promote(run, stores, f"alpha beta old{number}", at=NOW - timedelta(days=9))
    promote(run, stores, "alpha new", at=NOW)
    assert contents(search(run, stores, "alpha beta", limit=3, since=NOW - timedelta(days=1))) == {"alpha new"}


def test_a_retired_memory_never_comes_back_from_search(stores, run):
    kept, gone = promote(run, stores, "alpha kept"), promote(run, stores, "alpha gone")
    assert contents(search(run, stores, "alpha")) == {"alpha kept", "alpha gone"}
    retire(run, stores, gone)
    assert contents(search(run, stores, "alpha gone")) == {"alpha kept"}
    assert [memory.id for memory in run(stores.longterm.find(agent(), None, 10))] == [kept.id]


def test_another_process_sees_an_addition_and_a_retirement_at_once(stores, other_process, run):
    memory = promote(run, stores, "alpha one")
    assert contents(search(run, other_process, "alpha")) == {"alpha one"}
    promote(run, stores, "alpha two")
    assert contents(search(run, other_process, "alpha")) == {"alpha one", "alpha two"}
    retire(run, stores, memory)
    assert contents(search(run, other_process, "alpha")) == {"alpha two"}
    promote(run, other_process, "alpha three")
    assert contents(search(run, stores, "alpha")) == {"alpha two", "alpha three"}


def test_retiring_leaves_tombstones_and_a_line_and_says_who(stores, run):
    memory = promote(run, stores, "alpha one")
    assert retire(run, stores, memory)
    retired = run(stores.longterm.get(person(), memory.id))
    assert (retired.retired_by, retired.retired_at is not None) == ("ada@example.org", True)
    [grave] = run(stores.tombstones.nearest(agent(), memory.chunks[0].embedding, (), 5))
    assert (grave.kind, grave.content, grave.reason) == (TombstoneKind.RETIRED, "alpha one", "It is wrong.")
    event = run(stores.audit.events(person()))[-1]
    assert (event.action, event.subject, event.reason) == ("retired", memory.id, "outdated")


def test_retiring_twice_changes_nothing(stores, run):
    memory = promote(run, stores, "alpha one")
    assert retire(run, stores, memory)
    before = run(stores.longterm.get(person(), memory.id))
    assert retire(run, stores, memory) is False
    assert run(stores.longterm.get(person(), memory.id)) == before
    assert len(run(stores.audit.events(person()))) == 2


def test_scores_are_finite_for_texts_without_words(stores, run):
    promote(run, stores, "!!! ???")
    hits = search(run, stores, "alpha")
    assert all(math.isfinite(hit.word_score) for hit in hits)


def add_all(run, stores, *texts, scope=None, entry_ids=()):
    approved = [approval(text, person(), NOW, entry_ids) for text in texts]
    return run(stores.longterm.add_all(scope or person(), [(yes, chunks(yes)) for yes in approved]))


def test_many_approvals_are_written_each_with_its_audit_line(stores, run):
    texts = [f"text {number}" for number in range(120)]
    assert add_all(run, stores, *texts, entry_ids=["e1"]) == 120
    memories = run(stores.longterm.find(person(), None, 200))
    assert [memory.approval.content for memory in memories] == texts
    assert {memory.approval.entry_ids for memory in memories} == {("e1",)}
    events = run(stores.audit.events(person()))
    assert [(event.action, event.subject) for event in events] == [("promoted", memory.id) for memory in memories]
    assert [event.digest for event in events] == [event.expected_digest() for event in events]
    assert contents(search(run, stores, "text 77", limit=1)) == {"text 77"}


def test_of_many_approvals_those_of_verified_content_are_left_out(stores, run):
    kept = promote(run, stores, "one")
    assert add_all(run, stores, "one", "two", " two ") == 1
    assert [memory.approval.content for memory in run(stores.longterm.find(person(), None, 9))] == ["one", "two"]
    assert run(stores.longterm.get(person(), kept.id)) == kept
    assert add_all(run, stores, "one", "two") == 0
    assert len(run(stores.audit.events(person()))) == 2


def test_of_many_approvals_those_of_insights_are_left_out(stores, run):
    made = waiting(run, stores)
    yes = approval("one", insight_id=made.id)
    assert run(stores.longterm.add_all(person(), [(yes, chunks(yes))])) == 0
    assert run(stores.digests.get(person(), made.id)) == made


def test_many_approvals_lift_the_tombstones_of_their_contents(stores, run):
    for text in ("first wording", "second wording"):
        run(stores.tombstones.add(person(), tombstone(text)))
    add_all(run, stores, "first wording", "other")
    left = run(stores.tombstones.nearest(agent(), None, tokenize("wording"), 10))
    assert [grave.content for grave in left] == ["second wording"]


def test_many_approvals_are_written_all_or_none_and_by_persons_only(stores, run):
    good, bad = approval("What a person approved."), approval("What a person approved, too.")
    made_up = replace(chunks(bad)[0], content="What an agent made up.")
    with pytest.raises(MemsieveError):
        run(stores.longterm.add_all(person(), [(good, chunks(good)), (bad, [made_up])]))
    for scope in (agent(), system()):
        with pytest.raises(Forbidden):
            add_all(run, stores, "one", scope=scope)
    assert run(stores.longterm.find(person(), None, 9)) == []
    assert run(stores.audit.events(person())) == []


def waiting(run, stores, summary="one"):
    said = entry("what was said")
    run(stores.quarantine.add(agent(), said))
    made = insight([said], summary)
    run(stores.digests.save(system(), digest(made)))
    return made


def decide(run, stores, made, text="one", name="ada@example.org", at=NOW, entry_ids=()):
    yes = approval(text, person(name=name), at, entry_ids, made.id)
    return run(stores.longterm.add(person(name=name), yes, chunks(yes)))


def test_the_audit_line_names_the_insight_that_was_promoted(stores, run):
    made = waiting(run, stores)
    memory = decide(run, stores, made)
    [event] = run(stores.audit.events(person()))
    assert (event.action, event.subject, event.detail["insight"]) == ("promoted", memory.id, made.id)


def test_an_insight_of_content_that_is_verified_already_is_settled_with_the_memory_that_stands(stores, run):
    first = promote(run, stores, "The ledger runs on PostgreSQL.")
    made = waiting(run, stores)
    again = decide(run, stores, made, "The ledger  runs on\nPostgreSQL.", "bob")
    assert again == first
    kept = run(stores.digests.get(person(), made.id)).decision
    assert (kept.by, kept.memory_id) == ("bob", first.id)
    [_, event] = run(stores.audit.events(person()))
    assert (event.actor, event.subject, event.detail["insight"]) == ("bob", first.id, made.id)


def test_every_audit_line_of_a_memory_names_the_text_that_stands(stores, run):
    first = promote(run, stores, "one two")
    promote(run, stores, "one   two", entry_ids=["e1"])
    assert {event.detail["content"] for event in run(stores.audit.events(person()))} == {first.approval.digest}


@pytest.mark.parametrize("how", ["promoted", "dismissed"])
def test_an_insight_that_was_settled_before_is_not_promoted_and_nothing_is_written(stores, run, how):
    made = waiting(run, stores)
    if how == "promoted":
        decide(run, stores, made, name="ann@example.org")
    else:
        run(stores.tombstones.add(person(name="ann@example.org"), tombstone("one", made.id)))
    before = run(stores.digests.get(person(), made.id)), run(stores.audit.events(person()))
    with pytest.raises(Conflict) as raised:
        decide(run, stores, made, "two", "bob", NOW + timedelta(days=1), ["e1"])
    assert str(raised.value) == (
        f"Insight {made.id} was {how} by ann@example.org on 2026-03-02 at 09:00 UTC. Nothing was changed."
    )
    assert (run(stores.digests.get(person(), made.id)), run(stores.audit.events(person()))) == before
    assert "two" not in contents(search(run, stores, "two"))


def test_an_insight_is_not_settled_when_its_text_is_not_written(stores, run):
    made = waiting(run, stores)
    yes = approval("What a person approved.", insight_id=made.id)
    bad = replace(chunks(yes)[0], content="What an agent made up.")
    with pytest.raises(MemsieveError):
        run(stores.longterm.add(person(), yes, [bad]))
    assert run(stores.digests.get(person(), made.id)) == made
