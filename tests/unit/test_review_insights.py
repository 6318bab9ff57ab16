"""What persons decide on insights: promote or dismiss, once, and what follows for the entries behind them."""

import asyncio
import re

import pytest

from memsieve.errors import Conflict, InvalidInput, NotFound
from memsieve.memory import AsyncMemory
from memsieve.model import Decision, EntryFilter, ReviewStatus, SourceDoubt, TombstoneKind
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import digest, entry, insight, person, source, system

pytestmark = pytest.mark.usefixtures("small_embedder")
ONE = "Service alpha of region beta answers to team gamma about matter delta."
TWO = "Visitors of building omega must enter through gate sigma before hour kappa."
THREE = "Parcels for warehouse lambda leave on truck theta every morning of spring."
SUMMARY = "Team gamma looks after alpha."
EDITED = "Team gamma looks after alpha and beta."
FIRST = r"was {} by ada on 2026-03-02 at 09:00 UTC\."


@pytest.fixture
def project(memory):
    return memory.project("apollo")


@pytest.fixture
def save(memory, project):
    """Let a digest make an insight of entries, and return it."""

    def save_(*sources, summary=SUMMARY, later=None, **fields):
        store = memory.inner.services.promoter.digests
        made = insight(sources, summary, **fields)
        memory.loop.call(store.save(system(), digest(made), later=later))
        return made

    return save_


@pytest.fixture
def kept(memory, project):
    """Return an insight as it is kept now."""
    return lambda made: memory.loop.call(memory.inner.services.promoter.digests.get(person(), made.id))


def say(project, text, session_id="s1"):
    receipt = project.record(text, session_id=session_id, confidence=0.9)
    assert receipt.admission.admitted
    return receipt.entry


def test_an_insight_is_promoted_with_its_sources_but_for_those_in_doubt(project, save, kept):
    plain, doubted, other = (say(project, text) for text in (ONE, TWO, THREE))
    made = save(source(plain), source(doubted, doubt=SourceDoubt.INJECTION))
    memory = project.review(by="ada").promote(made.id)
    assert (memory.approval.content, memory.approval.by) == (SUMMARY, "ada")
    assert memory.approval.entry_ids == (plain.id,)
    assert kept(made).decision.memory_id == memory.id
    # All of its sources have left working memory: the doubted one is not served on its own either.
    assert [one.id for one in project.working()] == [other.id]
    assert [item.content for item in project.retrieve("gamma alpha").items if item.verified] == [SUMMARY]


def test_an_insight_is_promoted_in_the_persons_words(project, save):
    made = save(say(project, ONE))
    assert project.review(by="ada").promote(made.id, text=f" {EDITED} ").approval.content == EDITED
    assert project.review(by="ada@example.org").verify_audit().whole


@pytest.mark.parametrize("text", ["", "  \n", "a\ud800b", 7, "x" * 2_000_000])
def test_an_edited_text_must_be_one_that_can_be_kept(project, save, kept, text):
    said = say(project, ONE)
    made = save(said)
    for any_id in (made.id, said.id):
        with pytest.raises(InvalidInput) as raised:
            project.review(by="ada").promote(any_id, text=text)
        assert raised.value.field == "text"
    assert kept(made).decision is None
    assert project.memories() == []


def test_an_entry_is_promoted_in_the_persons_words(project):
    said = say(project, ONE)
    memory = project.review(by="ada").promote(said.id, text=EDITED)
    assert (memory.approval.content, memory.approval.entry_ids) == (EDITED, (said.id,))
    assert project.review(by="ada@example.org").entry(said.id).review is ReviewStatus.PROMOTED
    assert project.working() == []


def test_an_entry_that_was_promoted_in_other_words_is_not_promoted_in_its_own_by_a_second_click(project):
    said = say(project, ONE)
    memory = project.review(by="ada").promote(said.id, text=EDITED)
    assert project.review(by="bob").promote(said.id) == memory
    assert len(project.memories()) == 1


@pytest.mark.parametrize("text", [None, EDITED, "Team  gamma looks after\nalpha and beta. "])
def test_promoting_an_insight_twice_changes_nothing(project, save, text):
    made = save(say(project, ONE))
    first = project.review(by="ada").promote(made.id, text=EDITED)
    assert project.review(by="bob").promote(made.id, text=text) == first
    assert project.review(by="ada@example.org").verify_audit().events == 1


def test_promoting_an_insight_again_in_other_words_says_who_was_first(project, save):
    made = save(say(project, ONE))
    project.review(by="ada").promote(made.id, text=EDITED)
    with pytest.raises(Conflict, match=FIRST.format("promoted")):
        project.review(by="bob").promote(made.id, text=SUMMARY)
    assert [one.approval.content for one in project.memories()] == [EDITED]


def test_promoting_an_insight_whose_memory_was_retired_says_so(project, save):
    made = save(say(project, ONE))
    project.review(by="bob").retire(project.review(by="ada").promote(made.id).id, reason="outdated")
    with pytest.raises(Conflict, match=FIRST.format("promoted") + " That memory was retired"):
        project.review(by="cleo").promote(made.id)
    assert project.memories() == []


@pytest.mark.parametrize("text", [None, EDITED])
def test_promoting_an_insight_that_was_dismissed_says_who_was_first(project, save, text):
    made = save(say(project, ONE))
    project.review(by="ada").dismiss(made.id, reason="It is made up.")
    with pytest.raises(Conflict, match=FIRST.format("dismissed")):
        project.review(by="bob").promote(made.id, text=text)
    assert project.memories() == []


def test_an_insight_of_a_verified_text_is_promoted_to_the_memory_that_stands(project, save, kept):
    standing = project.review(by="ada").promote_text(SUMMARY)
    said = say(project, ONE)
    made = save(said)
    memory = project.review(by="bob").promote(made.id)
    assert (memory.id, memory.approval.entry_ids) == (standing.id, (said.id,))
    assert (kept(made).decision.by, kept(made).decision.memory_id) == ("bob", standing.id)
    assert project.review(by="ada@example.org").verify_audit().whole


def test_dismissal_of_an_insight_decides_all_its_sources_and_bars_the_way_back(project, save, kept):
    one, two, other = (say(project, text) for text in (ONE, TWO, THREE))
    made = save(source(one), source(two, doubt=SourceDoubt.ECHO), summary=ONE)
    tombstone = project.review(by="ada").dismiss(made.id, reason="It is made up.")
    assert (tombstone.kind, tombstone.source_id, tombstone.content) == (TombstoneKind.DISMISSED, made.id, ONE)
    assert (kept(made).decision.by, kept(made).decision.reason) == ("ada", "It is made up.")
    assert [one.id for one in project.working()] == [other.id]
    dismissed = project.review(by="ada@example.org").log(EntryFilter(review=ReviewStatus.DISMISSED))
    assert {receipt.entry.id for receipt in dismissed} == {one.id, two.id}
    again = "About matter delta service alpha of region beta answers to team gamma."
    assert project.record(again, session_id="s9", confidence=0.9).admission.decision is Decision.REFUSED


def test_dismissal_of_an_insight_takes_what_says_the_same_out_of_working_memory(project, save):
    refused = project.record(TWO, session_id="s1", confidence=0.1).entry
    say(project, ONE)
    made = save(refused, summary="About matter delta service alpha of region beta answers to team gamma.")
    project.review(by="ada").dismiss(made.id, reason="wrong")
    assert project.working() == []


def test_an_insight_without_a_vector_leaves_a_tombstone_with_one(project, save):
    made = save(say(project, ONE), embedding=None)
    tombstone = project.review(by="ada").dismiss(made.id, reason="wrong")
    assert float(tombstone.embedding @ WordEmbedder().vector(SUMMARY)) == pytest.approx(1, abs=1e-3)


def test_dismissing_an_insight_a_second_time_returns_what_the_first_person_decided(project, save):
    made = save(say(project, ONE))
    first = project.review(by="ada").dismiss(made.id, reason="It is made up.")
    assert project.review(by="bob").dismiss(made.id, reason="I agree.") == first
    assert [event.actor for event in project.review(by="ada@example.org").audit_log()] == ["ada"]


def test_dismissing_an_insight_that_was_promoted_says_who_was_first_and_what_to_do(project, save):
    made = save(say(project, ONE))
    project.review(by="ada").promote(made.id)
    with pytest.raises(Conflict, match=FIRST.format("promoted") + ".*`memsieve retire`"):
        project.review(by="bob").dismiss(made.id, reason="wrong")
    assert project.stats().tombstones == 0


def test_a_source_that_joined_later_leaves_working_memory_when_its_insight_is_dismissed_again(project, save):
    made = save(say(project, ONE))
    project.review(by="ada").dismiss(made.id, reason="wrong")
    late = say(project, TWO)
    save(later={made.id: [source(late)]})
    project.review(by="ada").dismiss(made.id, reason="wrong")
    assert project.review(by="ada@example.org").entry(late.id).review is ReviewStatus.DISMISSED
    assert project.working() == []


def test_a_source_in_doubt_can_be_dismissed_after_its_insight_was_promoted(project, save):
    plain, doubted = say(project, ONE), say(project, TWO)
    made = save(source(plain), source(doubted, doubt=SourceDoubt.CONTRARY))
    project.review(by="ada").promote(made.id)
    assert project.review(by="ada@example.org").entry(doubted.id).review is ReviewStatus.COVERED
    project.review(by="ada").dismiss(doubted.id, reason="wrong")
    assert project.review(by="ada@example.org").entry(doubted.id).review is ReviewStatus.DISMISSED
    assert project.record(TWO, session_id="s9", confidence=0.9).admission.decision is Decision.REFUSED
    with pytest.raises(Conflict, match="is verified memory"):
        project.review(by="ada").dismiss(plain.id, reason="wrong")


def test_a_source_that_was_dismissed_on_its_own_is_no_evidence_and_stays_dismissed(project, save):
    plain, dismissed = say(project, ONE), say(project, TWO)
    made = save(plain, dismissed)
    project.review(by="bob").dismiss(dismissed.id, reason="wrong")
    assert project.review(by="ada").promote(made.id).approval.entry_ids == (plain.id,)
    assert project.review(by="ada@example.org").entry(dismissed.id).review is ReviewStatus.DISMISSED
    assert project.stats().tombstones == 1


def test_an_insight_whose_sources_were_all_rejected_is_promoted_as_a_text_of_ones_own_alone(project, save, kept):
    one, two, doubted = (say(project, text) for text in (ONE, TWO, THREE))
    made = save(source(one), source(two), source(doubted, doubt=SourceDoubt.ECHO))
    project.review(by="bob").dismiss(one.id, reason="wrong")
    project.review(by="bob").retire(project.review(by="bob").promote(two.id).id, reason="wrong")
    graves = project.stats().tombstones
    with pytest.raises(Conflict, match=r"one by one.*as your own if it is true, with `memsieve promote --text`"):
        project.review(by="ada").promote(made.id)
    assert (project.memories(), project.stats().tombstones, kept(made).decision) == ([], graves, None)


def test_two_insights_of_the_same_entries_can_both_be_promoted(project, save):
    said = say(project, ONE)
    first, second = save(said), save(said, summary=EDITED)
    project.review(by="ada").promote(first.id)
    assert project.review(by="ada").promote(second.id).approval.entry_ids == (said.id,)


def test_the_lineage_of_a_dismissed_insight_is_told_when_its_entries_are_deleted(project, save):
    said = say(project, ONE)
    made = save(said)
    project.review(by="ada").dismiss(made.id, reason="wrong")
    project.review(by="ada").delete(said.id, reason="private")
    lineage = project.review(by="ada@example.org").lineage(made.id)
    assert lineage.entries == lineage.memories == ()
    assert [event.action for event in lineage.events] == ["dismissed"]


@pytest.mark.parametrize("action", ["promote", "dismiss"])
def test_an_id_that_is_neither_insight_nor_entry_says_where_to_look(memory, project, save, action):
    made = save(say(project, ONE))
    arguments = {"reason": "wrong"} if action == "dismiss" else {}
    for place, any_id in ((project, "nobody"), (memory.project("gemini"), made.id)):
        with pytest.raises(NotFound, match=r"`memsieve log`.*`memsieve digest`") as raised:
            getattr(place.review(by="ada"), action)(any_id, **arguments)
        assert raised.value.subject == any_id
        assert SUMMARY not in str(raised.value)


def test_an_entry_that_was_brought_with_the_id_of_an_insight_does_not_stand_before_it(memory, project, save):
    made = save(say(project, ONE))
    memory.maintenance("apollo").import_entry(entry(THREE, id=made.id))
    assert project.review(by="ada").promote(made.id).approval.content == SUMMARY


@pytest.fixture
def race(data, clock, small_embedder, monkeypatch):
    """Open one memory twice, as two processes do: bob sees the insight wait, ada acts, and then bob acts."""
    embed = small_embedder.embed

    async def race_(ada, bob):
        async with AsyncMemory.open(data, clock=clock) as here, AsyncMemory.open(data, clock=clock) as there:
            first, second = here.project("apollo"), there.project("apollo")
            said = (await first.record(ONE, session_id="s1", confidence=0.9)).entry
            made = insight([said], SUMMARY, embedding=None)
            await here.services.promoter.digests.save(system(), digest(made))
            seen, go_on = asyncio.Event(), asyncio.Event()

            async def wait(texts):
                monkeypatch.setattr(small_embedder, "embed", embed)
                seen.set()
                await go_on.wait()
                return await embed(texts)

            monkeypatch.setattr(small_embedder, "embed", wait)
            late = asyncio.create_task(bob(second, made.id))
            await seen.wait()
            answer = await ada(first, made.id)
            go_on.set()
            [told] = await asyncio.gather(late, return_exceptions=True)
            return answer, told, await first.review(by="auditor").audit_log()

    return lambda ada, bob: asyncio.run(asyncio.wait_for(race_(ada, bob), 20))


def promotes(by, text=None):
    return lambda project, any_id: project.review(by=by).promote(any_id, text=text)


def dismisses(by):
    return lambda project, any_id: project.review(by=by).dismiss(any_id, reason="wrong")


@pytest.mark.parametrize("action", [promotes, dismisses])
def test_two_who_decide_alike_at_once_both_get_what_the_first_decided(race, action):
    answer, told, events = race(action("ada"), action("bob"))
    assert told == answer
    assert [event.actor for event in events] == ["ada"]


@pytest.mark.parametrize(
    ("ada", "bob", "message"),
    [
        (promotes("ada"), promotes("bob", EDITED), FIRST.format("promoted") + " The text that was approved is another"),
        (dismisses("ada"), promotes("bob"), FIRST.format("dismissed")),
        (promotes("ada"), dismisses("bob"), FIRST.format("promoted") + ".*`memsieve retire`"),
    ],
)
def test_of_two_who_decide_differently_at_once_the_second_is_told_who_was_first(race, ada, bob, message):
    _, told, events = race(ada, bob)
    assert isinstance(told, Conflict)
    assert re.search(message, str(told))
    assert [event.actor for event in events] == ["ada"]
