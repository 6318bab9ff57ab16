"""What persons do: promote, dismiss, retire, delete; and what follows from it at once."""

import asyncio
import sqlite3

import pytest

from memsieve.errors import Conflict, EmbedderError, InvalidInput, NotFound
from memsieve.ingress.pipeline import evaluate
from memsieve.memory import AsyncMemory
from memsieve.model import Decision, ReviewStatus, TombstoneKind

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXT = "Service alpha of region beta answers to team gamma about matter delta."
AGAIN = "About matter delta service alpha of region beta answers to team gamma."


@pytest.fixture
def project(memory):
    return memory.project("apollo")


def test_promotion_takes_the_entry_out_of_working_memory_and_serves_it_once(project):
    entry_id = project.record(TEXT, session_id="s1", confidence=0.9).entry.id
    kept = project.review(by="ada").promote(entry_id)
    assert project.working() == []
    assert [(item.content, item.verified, item.promoted_by) for item in project.retrieve("alpha beta").items] == [
        (TEXT, True, "ada")
    ]
    assert kept.approval.entry_ids == (entry_id,)
    assert project.review(by="ada@example.org").log()[0].review is ReviewStatus.PROMOTED


def test_promoting_twice_changes_nothing(project):
    entry_id = project.record(TEXT, session_id="s1").entry.id
    assert project.review(by="ada").promote(entry_id) == project.review(by="bob").promote(entry_id)
    assert project.review(by="ada@example.org").verify_audit().events == 1


def test_a_refused_entry_can_be_promoted_by_a_person(project):
    receipt = project.record(TEXT, session_id="s1", confidence=0.1)
    assert receipt.admission.decision is Decision.REFUSED
    assert project.review(by="ada").promote(receipt.entry.id).chunks[0].content == TEXT


def test_a_long_text_is_promoted_in_chunks_that_cover_it(project):
    text = "\n\n".join(
        f"Section {number} speaks of item{number}. " + "More words follow here. " * 15 for number in range(8)
    )
    kept = project.review(by="ada").promote_text(text)
    assert len(kept.chunks) >= 6
    assert all(chunk.content in text.strip() for chunk in kept.chunks)
    found = project.retrieve("Which section speaks of item5?", max_results=1)
    assert "item5" in found.items[0].content


def test_dismissal_takes_the_entry_and_its_like_out_of_working_memory(project):
    refused = project.record(TEXT, session_id="s1", confidence=0.1).entry.id
    assert project.record(AGAIN, session_id="s2", confidence=0.9).admission.admitted
    tombstone = project.review(by="ada").dismiss(refused, reason="It is made up.")
    assert tombstone.kind is TombstoneKind.DISMISSED
    assert project.working() == []
    assert project.record(AGAIN, session_id="s3", confidence=0.9).admission.decision is Decision.REFUSED


def test_dismissing_twice_changes_nothing(project):
    entry_id = project.record(TEXT, session_id="s1").entry.id
    project.review(by="ada").dismiss(entry_id, reason="wrong")
    project.review(by="ada").dismiss(entry_id, reason="wrong")
    assert (project.stats().tombstones, project.review(by="ada@example.org").verify_audit().events) == (1, 1)


def test_what_is_verified_is_retired_and_not_dismissed(project):
    entry_id = project.record(TEXT, session_id="s1").entry.id
    project.review(by="ada").promote(entry_id)
    with pytest.raises(Conflict, match="Retire"):
        project.review(by="ada").dismiss(entry_id, reason="wrong")


def test_retirement_works_at_once_names_who_was_served_and_bars_the_way_back(project):
    kept = project.review(by="ada").promote_text(TEXT)
    answer = project.retrieve("alpha beta", session_id="s1", agent_id="cfo")
    project.record(AGAIN, session_id="s2", confidence=0.9)
    retirement = project.review(by="bob").retire(kept.chunks[0].id, reason="outdated")
    assert [(one.answer_id, one.session_id, one.agent_id) for one in retirement.served] == [(answer.id, "s1", "cfo")]
    assert (retirement.memory.retired_by, retirement.memory.id) == ("bob", kept.id)
    assert project.retrieve("alpha beta").items == ()
    assert project.record(AGAIN, session_id="s3", confidence=0.9).admission.decision is Decision.REFUSED
    assert project.review(by="ada@example.org").lineage(kept.id).memories[0].retired_at is not None


def test_a_person_may_approve_what_was_retired(project):
    kept = project.review(by="ada").promote_text(TEXT)
    project.review(by="ada").retire(kept.id, reason="outdated")
    project.review(by="bob").promote_text(TEXT)
    assert [item.promoted_by for item in project.retrieve("alpha beta").items] == ["bob"]
    assert project.record(AGAIN, session_id="s3", confidence=0.9).admission.admitted


def test_deletion_leaves_no_content_but_a_line(project):
    entry_id = project.record(TEXT, session_id="s1", confidence=0.9).entry.id
    project.review(by="ada").delete(entry_id, reason="private")
    assert project.review(by="ada@example.org").log() == project.working() == []
    assert project.retrieve("alpha beta").items == ()
    with pytest.raises(NotFound):
        project.review(by="ada").delete(entry_id, reason="private")
    assert project.review(by="ada@example.org").verify_audit().events == 1


def test_lineage_goes_from_what_was_said_to_who_was_served(project):
    entry_id = project.record(TEXT, session_id="s1", agent_id="cfo", confidence=0.9).entry.id
    kept = project.review(by="ada").promote(entry_id)
    project.retrieve("alpha beta", session_id="s2")
    for any_id in (entry_id, kept.id, kept.chunks[0].id):
        lineage = project.review(by="ada@example.org").lineage(any_id)
        assert [receipt.entry.agent_id for receipt in lineage.entries] == ["cfo"]
        assert [memory.id for memory in lineage.memories] == [kept.id]
        assert [event.action for event in lineage.events] == ["promoted"]
        assert [serving.session_id for serving in lineage.served] == ["s2"]


@pytest.mark.parametrize("action", ["dismiss", "retire", "delete"])
def test_every_action_needs_a_reason_and_an_id_that_exists(project, action):
    with pytest.raises(InvalidInput):
        getattr(project.review(by="ada"), action)("nobody", reason=" ")
    with pytest.raises(NotFound) as raised:
        getattr(project.review(by="ada"), action)("nobody", reason="wrong")
    assert raised.value.subject == "nobody"


@pytest.mark.parametrize("action", ["retire", "dismiss", "promote"])
def test_a_action_while_the_filter_looks_is_not_undone_by_the_filter(data, clock, monkeypatch, action):
    """The filter looks, a person acts, the filter does as it decided: what the person did must stand."""
    acting = []

    async def race():
        async with AsyncMemory.open(data, clock=clock) as memory:
            project = memory.project("apollo")
            kept = await project.review(by="ada").promote_text(TEXT)
            refused = await project.record(AGAIN, session_id="s0", confidence=0.1)

            def act(entry_id):
                if action == "retire":
                    return project.review(by="ada").retire(kept.id, reason="wrong")
                if action == "dismiss":
                    return project.review(by="ada").dismiss(refused.entry.id, reason="wrong")
                return project.review(by="ada").promote(entry_id)

            def look_while_a_person_acts(candidate, settings, at):
                acting.append(asyncio.create_task(act(candidate.entry.id)))
                return evaluate(candidate, settings, at)

            monkeypatch.setattr("memsieve.ingress.admission.evaluate", look_while_a_person_acts)
            await project.record(AGAIN.replace("About", "On"), session_id="s1", confidence=0.9)
            await asyncio.gather(*acting)
            return await project.working()

    assert asyncio.run(asyncio.wait_for(race(), 20)) == []
    assert len(acting) == 1


def test_dismissing_a_second_time_returns_what_the_first_person_decided(project):
    entry_id = project.record(TEXT, session_id="s1").entry.id
    first = project.review(by="ada").dismiss(entry_id, reason="It is made up.")
    assert project.review(by="bob").dismiss(entry_id, reason="I agree.") == first
    assert [event.actor for event in project.review(by="ada@example.org").audit_log()] == ["ada"]


def test_retiring_a_second_time_returns_what_the_first_person_decided(project):
    kept = project.review(by="ada").promote_text(TEXT)
    project.review(by="ada").retire(kept.id, reason="outdated")
    again = project.review(by="bob").retire(kept.id, reason="wrong").memory
    assert (again.retired_by, again.retired_reason) == ("ada", "outdated")


def test_a_memory_without_a_vector_leaves_a_tombstone_with_one(project, small_embedder, memory):
    kept = project.review(by="ada").promote_text(TEXT)
    with sqlite3.connect(memory.settings.data / "memsieve.db") as connection:
        connection.execute("UPDATE memories SET embedder = 'another model'")
    project.review(by="ada").retire(kept.id, reason="outdated")
    refused = project.record(AGAIN, session_id="s1").admission
    assert [check.name for check in refused.checks if not check.passed] == ["tombstone"]


def test_an_entry_that_was_promoted_while_it_waited_is_not_served_a_second_time(
    memory, project, small_embedder, monkeypatch
):
    async def fail(_texts):
        raise EmbedderError("The endpoint is down.")

    with monkeypatch.context() as down:
        down.setattr(small_embedder, "embed", fail)
        waiting = project.record(TEXT, session_id="s1").entry.id
    project.review(by="ada").promote(waiting)
    [decided] = memory.maintenance("apollo").retry()
    assert decided.admission.decision is Decision.ADMITTED
    assert project.working() == []
