"""What `ports.DigestStore` promises."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from memsieve.errors import Conflict, Forbidden, MemsieveError, NotFound
from memsieve.model import (
    Dispute,
    Edit,
    ExclusionReason,
    InsightDecision,
    Nearest,
    Reason,
    Refinement,
    RefineOutcome,
    ReviewStatus,
    SourceDoubt,
    TombstoneKind,
)
from memsieve.testing.factories import (
    NOW,
    admission,
    agent,
    approval,
    chunks,
    digest,
    entry,
    insight,
    person,
    source,
    system,
    tombstone,
)

WEEK = timedelta(days=7)
HOUR = timedelta(hours=1)


def say(run, stores, text, project="apollo", **fields):
    said = entry(text, project_id=project, **fields)
    run(stores.quarantine.add(agent(project), said))
    run(stores.quarantine.decide(system(project), said.id, admission(), said.embedding))
    return said


def save(run, stores, *insights, project="apollo", **fields):
    return run(stores.digests.save(system(project), digest(*insights, project_id=project), **fields))


def make(run, stores, *entries, summary="one", **fields):
    made = insight(entries, summary, **fields)
    save(run, stores, made)
    return made


def promote(run, stores, one, text=None, scope=None):
    yes = approval(text or one.summary, scope, entry_ids=[each.entry_id for each in one.sources], insight_id=one.id)
    return run(stores.longterm.add(scope or person(), yes, chunks(yes)))


def dismiss(run, stores, one, scope=None):
    return run(stores.tombstones.add(scope or person(), tombstone(one.summary, one.id, scope=scope)))


def get(run, stores, one):
    return run(stores.digests.get(person(), one.id))


def waiting(run, stores):
    return run(stores.digests.insights(person(), decided=False))


def decided(run, stores):
    return run(stores.digests.insights(person(), decided=True))


def undecided(run, stores, since=NOW - WEEK, project="apollo"):
    return [one.entry.content for one in run(stores.digests.undecided(system(project), since))]


def dispute(first, second):
    return Dispute(
        first_id=first.id,
        first_quote=first.content,
        second_id=second.id,
        second_quote=second.content,
        difference=Reason.of("difference.numbers", first="5", second="7"),
    )


def full(run, stores):
    """Make an insight with something in every field."""
    one = say(run, stores, "预算是 5 million.", session_id="s1", agent_id="cfo", confidence=0.9)
    two = say(run, stores, "The budget is 7 million.", session_id="s2", created_at=NOW + HOUR)
    return insight(
        [source(one, "5 million"), source(two, doubt=SourceDoubt.INJECTION)],
        "The budget is 5 million.",
        refinement=Refinement(
            outcome=RefineOutcome.DUPLICATE,
            reason=Reason.of("refine.with", verdict=Reason.text("It is known."), remark=Reason.text("So.")),
            observations=2,
        ),
        summarised_by="small-model",
        note=Reason.of("note.summary_failed", model="m", error="It did not answer."),
        nearest=Nearest(
            memory_id="m1",
            content="The budget is 5.",
            similarity=0.83,
            diff=((Edit.SAME, "The budget is"), (Edit.REMOVED, "5."), (Edit.ADDED, "5 million")),
            conflict=Reason.text("5 is not 5 million"),
        ),
        disputes=(dispute(one, two),),
        made_at=NOW + HOUR,
    )


def test_an_insight_comes_back_as_it_was_made(stores, other_process, run):
    made = full(run, stores)
    save(run, stores, made)
    kept = get(run, other_process, made)
    assert kept == made
    assert float(kept.embedding @ made.embedding) == pytest.approx(1, abs=1e-3)
    assert (kept.sessions, kept.first_seen, kept.last_seen) == (1, NOW, NOW + HOUR)


def test_a_vector_of_another_embedder_is_left_out(stores, changed, run):
    made = make(run, stores, say(run, stores, "one"))
    assert get(run, changed, made).embedding is None


def test_a_missing_insight_is_none(stores, run):
    assert run(stores.digests.get(person(), "nobody")) is None


def test_insights_come_in_the_order_they_were_made(stores, run):
    said = say(run, stores, "one")
    late, early, middle = (insight([said], f"{hour}", made_at=NOW + hour * HOUR) for hour in (3, 1, 2))
    save(run, stores, late, early, middle)
    assert waiting(run, stores) == [early, middle, late]
    for one in (early, late):
        dismiss(run, stores, one)
    assert [one.id for one in decided(run, stores)] == [early.id, late.id]
    assert waiting(run, stores) == [middle]


def test_insights_are_read_in_pages_from_the_newest_back(stores, run):
    said = say(run, stores, "one")
    hours = [4, 1, 3, 2, 2, 5]
    made = [insight([said], f"{place}", made_at=NOW + hour * HOUR) for place, hour in enumerate(hours)]
    save(run, stores, *made)
    for one in made[:-1]:
        dismiss(run, stores, one)

    def page(limit, before=None, *, decided=True):
        found = run(stores.digests.insights(person(), decided=decided, before_id=before, limit=limit))
        return [one.id for one in found]

    whole = [one.id for one in decided(run, stores)]
    assert len(whole) == 5
    assert page(None) == page(9) == whole
    assert page(2) == whole[3:]
    assert page(2, whole[3]) == whole[1:3]
    assert page(None, whole[3]) == whole[:3]
    assert page(0) == page(2, whole[0]) == page(2, "unknown") == []
    assert page(2, decided=False) == [made[-1].id]
    [newest] = run(stores.digests.insights(person(), decided=True, limit=1))
    assert [source.entry_id for source in newest.sources] == [said.id]


def test_sources_come_in_the_order_they_were_given(stores, run):
    said = [say(run, stores, f"one {number}") for number in range(12)]
    made = make(run, stores, *reversed(said))
    assert [one.quote for one in get(run, stores, made).sources] == [one.content for one in reversed(said)]


def test_agents_are_refused(stores, run):
    doors = [
        stores.digests.undecided(agent(), NOW),
        stores.digests.insights(agent(), decided=False),
        stores.digests.get(agent(), "x"),
        stores.digests.save(agent(), digest()),
        stores.digests.last(agent()),
    ]
    for door in doors:
        with pytest.raises(Forbidden):
            run(door)
    assert run(stores.digests.last(person())) is None


def test_another_project_sees_nothing(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    assert run(stores.digests.get(person("gemini"), made.id)) is None
    assert run(stores.digests.insights(person("gemini"), decided=False)) == []
    assert run(stores.digests.last(person("gemini"))) is None
    assert undecided(run, stores, project="gemini") == []


def test_an_insight_of_another_projects_entries_is_left_out(stores, run):
    said = say(run, stores, "one")
    save(run, stores, insight([said]), project="gemini")
    assert run(stores.digests.insights(person("gemini"), decided=False)) == []


def test_the_same_id_in_two_projects_is_two_insights(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    there = say(run, stores, "one", "gemini")
    save(run, stores, insight([there], "other", id=made.id, project_id="gemini"), project="gemini")
    dismiss(run, stores, replace(made, project_id="gemini"), person("gemini"))
    assert get(run, stores, made) == made


def test_a_digest_looks_at_what_was_recorded_since_then_in_that_order(stores, run):
    say(run, stores, "long ago", created_at=NOW - WEEK - HOUR)
    say(run, stores, "late", created_at=NOW + HOUR)
    say(run, stores, "on the hour", created_at=NOW - WEEK)
    say(run, stores, "far ahead", created_at=NOW + 50 * WEEK)
    assert undecided(run, stores) == ["late", "on the hour", "far ahead"]


def test_what_a_digest_looks_at_comes_as_quarantine_keeps_it(stores, run):
    said = say(run, stores, "one", agent_id="cfo", metadata={"run": 7})
    [receipt] = run(stores.digests.undecided(person(), NOW - WEEK))
    assert receipt == run(stores.quarantine.get(person(), said.id))
    assert receipt.entry.embedding is not None


def test_a_digest_looks_at_entries_that_the_filter_refused_or_has_not_decided_on(stores, run):
    run(stores.quarantine.add(agent(), entry("one")))
    assert undecided(run, stores) == ["one"]


def test_a_digest_looks_at_the_sources_of_every_insight_that_waits_however_old(stores, run):
    old = say(run, stores, "old", created_at=NOW - 9 * WEEK)
    say(run, stores, "older", created_at=NOW - 10 * WEEK)
    make(run, stores, old, say(run, stores, "new"))
    assert undecided(run, stores) == ["old", "new"]


def test_a_digest_does_not_look_at_what_a_person_decided_on(stores, run):
    promoted, retired, dismissed, open_ = (
        say(run, stores, text) for text in ("promoted", "retired", "dismissed", "open")
    )
    for one in (promoted, retired):
        yes = approval(one.content, entry_ids=[one.id])
        kept = run(stores.longterm.add(person(), yes, chunks(yes)))
    run(stores.longterm.retire(person(), kept.id, "wrong", [tombstone("retired", "c1", TombstoneKind.RETIRED)]))
    run(stores.tombstones.add(person(), tombstone(dismissed.content, dismissed.id)))
    make(run, stores, promoted, retired, dismissed, open_)
    assert undecided(run, stores) == ["open"]


def test_a_digest_looks_again_at_an_entry_whose_tombstone_was_lifted(stores, run):
    said = say(run, stores, "one")
    run(stores.tombstones.add(person(), tombstone("one", said.id)))
    yes = approval("one")
    run(stores.longterm.add(person(), yes, chunks(yes)))
    assert undecided(run, stores) == ["one"]


@pytest.mark.parametrize("deed", [promote, dismiss])
def test_one_decision_settles_all_sources_of_an_insight_also_doubted_and_later_ones(stores, run, deed):
    plain, doubted, later = (say(run, stores, text) for text in ("plain", "doubted", "later"))
    made = insight([source(plain), source(doubted, doubt=SourceDoubt.ECHO)], "one")
    save(run, stores, made)
    deed(run, stores, replace(made, sources=made.sources[:1]))
    assert undecided(run, stores) == ["later"]
    save(run, stores, later={made.id: [source(later)]})
    assert undecided(run, stores) == []


def test_a_digest_does_not_look_at_the_sources_of_a_dismissed_insight_whose_tombstone_was_lifted(stores, run):
    made = make(run, stores, say(run, stores, "one"), summary="two")
    dismiss(run, stores, made)
    yes = approval("two")
    run(stores.longterm.add(person(), yes, chunks(yes)))
    assert undecided(run, stores) == []
    assert get(run, stores, made).decision.review is ReviewStatus.DISMISSED


def test_the_last_digest_is_kept_with_all_insights_that_wait(stores, other_process, run):
    said = [say(run, stores, f"one {number}") for number in range(12)]
    older = insight(said[:1], "older", made_at=NOW - HOUR)
    save(run, stores, older)
    made = digest(
        *(insight([one]) for one in said[1:]),
        entries=40,
        set_aside={ExclusionReason.NO_CLAIM: 3, ExclusionReason.SMALLER: 1},
    )
    kept = run(stores.digests.save(system(), made))
    assert kept == replace(made, insights=(older, *made.insights), waiting=12)
    assert run(other_process.digests.last(person())) == kept


def test_the_last_digest_loses_the_insights_that_were_settled_since(stores, run):
    first, second = (insight([say(run, stores, text)], text) for text in ("one", "two"))
    save(run, stores, first, second)
    dismiss(run, stores, first)
    kept = run(stores.digests.last(person()))
    assert (kept.insights, kept.waiting) == ((second,), 1)


def test_a_known_insight_takes_the_place_of_the_one_that_waits(stores, run):
    made = full(run, stores)
    save(run, stores, made)
    again = insight([say(run, stores, "three")], made.summary, id=made.id, made_at=NOW)
    save(run, stores, again)
    assert waiting(run, stores) == [again]


def test_an_insight_keeps_the_words_that_a_person_may_have_seen(stores, run):
    made = full(run, stores)
    save(run, stores, made)
    new = say(run, stores, "three", created_at=NOW - 9 * WEEK)
    save(run, stores, insight([new], "Another summary.", id=made.id))
    assert waiting(run, stores) == [made]
    # What came new with it is not lost for that.
    assert "three" in undecided(run, stores)


@pytest.mark.parametrize("deed", [promote, dismiss])
def test_a_settled_insight_is_left_as_it_was(stores, run, deed):
    made = full(run, stores)
    save(run, stores, made)
    deed(run, stores, made)
    before = get(run, stores, made)
    new = say(run, stores, "three", created_at=NOW - 9 * WEEK)
    kept = save(run, stores, insight([new], "Another summary.", id=made.id), merged=[made.id])
    assert get(run, stores, made) == before
    assert kept.insights == ()
    # What came new with it is not lost for that.
    assert undecided(run, stores) == ["three"]


def test_insights_merged_into_others_no_longer_wait(stores, run):
    one, two, three = (insight([say(run, stores, text)], text) for text in ("one", "two", "three"))
    save(run, stores, one, two, three)
    both = insight([*one.sources, *two.sources], "both")
    save(run, stores, both, merged=[one.id, two.id, "nobody"])
    assert [each.id for each in waiting(run, stores)] == [three.id, both.id]
    assert get(run, stores, one) is None


def test_later_sources_join_the_history_of_a_settled_insight_once(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    dismiss(run, stores, made)
    two, three = (source(say(run, stores, text)) for text in ("two", "three"))
    save(run, stores, later={made.id: [two]})
    save(run, stores, later={made.id: [replace(two, quote="another"), three]})
    kept = get(run, stores, made)
    assert (kept.sources, kept.later) == (made.sources, (two, three))


def test_a_later_source_that_is_a_source_already_changes_nothing(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    dismiss(run, stores, made)
    save(run, stores, later={made.id: [replace(made.sources[0], quote="another")]})
    kept = get(run, stores, made)
    assert (kept.sources, kept.later) == (made.sources, ())


def test_later_sources_of_an_insight_that_waits_or_is_gone_are_left_out(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    two = source(say(run, stores, "two"))
    save(run, stores, later={made.id: [two], "nobody": [two]})
    assert get(run, stores, made) == made


def test_a_later_source_that_was_deleted_meanwhile_is_left_out(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    dismiss(run, stores, made)
    two, three = (say(run, stores, text) for text in ("two", "three"))
    run(stores.quarantine.delete(person(), two.id, "private"))
    save(run, stores, later={made.id: [source(two), source(three)]})
    assert get(run, stores, made).later == (source(three),)


def test_an_entry_that_was_decided_on_meanwhile_is_left_out_with_its_disputes(stores, run):
    one, two, three = (say(run, stores, text) for text in ("one", "two", "three"))
    made = insight([one, two, three], disputes=(dispute(one, two), dispute(two, three)))
    run(stores.tombstones.add(person(), tombstone("one", one.id)))
    [kept] = save(run, stores, made).insights
    assert kept == replace(made, sources=made.sources[1:], disputes=made.disputes[1:])


def test_an_insight_that_has_no_entry_left_is_left_out(stores, run):
    said = say(run, stores, "one")
    run(stores.tombstones.add(person(), tombstone("one", said.id)))
    assert save(run, stores, insight([said])).insights == ()


def test_an_insight_of_which_an_entry_was_deleted_meanwhile_is_left_out_and_the_others_are_looked_at_again(stores, run):
    gone, stays = say(run, stores, "one"), say(run, stores, "two", created_at=NOW - 9 * WEEK)
    made = insight([gone, stays])
    run(stores.quarantine.delete(person(), gone.id, "private"))
    assert save(run, stores, made).insights == ()
    assert undecided(run, stores) == ["two"]
    again = insight([stays])
    assert save(run, stores, again).insights == (again,)


def test_what_no_insight_holds_any_more_is_looked_at_again_once(stores, run):
    gone, stays = say(run, stores, "one"), say(run, stores, "two", created_at=NOW - 9 * WEEK)
    make(run, stores, gone, stays)
    run(stores.quarantine.delete(person(), gone.id, "private"))
    assert undecided(run, stores) == ["two"]
    save(run, stores)
    assert undecided(run, stores) == []


def test_a_digest_is_kept_whole_or_not_at_all(stores, run):
    said = say(run, stores, "one")
    made = make(run, stores, said)
    with pytest.raises(MemsieveError):
        save(run, stores, insight([said], "two"), insight([said], ""), merged=[made.id])
    assert waiting(run, stores) == [made]
    assert run(stores.digests.last(person())).waiting == 1


def test_an_insight_that_waits_goes_with_an_entry_that_is_deleted(stores, run):
    one, two, three = (say(run, stores, text) for text in ("one", "two", "three"))
    make(run, stores, one, two)
    other = make(run, stores, three)
    run(stores.quarantine.delete(person(), one.id, "private"))
    assert waiting(run, stores) == [other]
    assert undecided(run, stores) == ["two", "three"]


@pytest.mark.parametrize("deed", [promote, dismiss])
def test_a_settled_insight_loses_its_quotes_of_an_entry_that_is_deleted_and_nothing_else(stores, run, deed):
    one, two, three, four = (say(run, stores, text) for text in ("one", "two", "three", "four"))
    made = make(run, stores, one, two, three, disputes=(dispute(one, two), dispute(two, three)))
    deed(run, stores, made)
    save(run, stores, later={made.id: [source(four)]})
    before = get(run, stores, made)
    for gone in (one, four):
        run(stores.quarantine.delete(person(), gone.id, "private"))
    assert get(run, stores, made) == replace(before, sources=before.sources[1:], disputes=before.disputes[1:], later=())


def test_a_settled_insight_whose_entries_are_all_deleted_stays(stores, run):
    said = say(run, stores, "one")
    made = make(run, stores, said)
    dismiss(run, stores, made)
    run(stores.quarantine.delete(person(), said.id, "private"))
    kept = get(run, stores, made)
    assert (kept.sources, kept.decision.review, kept.first_seen) == ((), ReviewStatus.DISMISSED, made.made_at)


def test_promotion_settles_an_insight_and_says_by_whom(stores, other_process, run):
    made = make(run, stores, say(run, stores, "one"))
    memory = promote(run, stores, made, scope=person(name="ann@example.org"))
    kept = get(run, other_process, made)
    assert kept.decision == InsightDecision(
        review=ReviewStatus.PROMOTED, by="ann@example.org", at=NOW, reason="", memory_id=memory.id
    )
    assert replace(kept, decision=None) == made
    assert (waiting(run, stores), decided(run, stores)) == ([], [kept])


def test_dismissal_settles_an_insight_and_says_by_whom_and_why(stores, run):
    made = make(run, stores, say(run, stores, "one"))
    dismiss(run, stores, made, person(name="ann@example.org"))
    assert get(run, stores, made).decision == InsightDecision(
        review=ReviewStatus.DISMISSED, by="ann@example.org", at=NOW, reason="It is wrong."
    )


def test_of_two_persons_who_settle_one_insight_at_once_one_wins_and_the_other_is_told_who(stores, other_process, run):
    made = make(run, stores, say(run, stores, "one"))

    def deeds():
        for number, opened in enumerate((stores, other_process) * 4):
            who = person(name=f"p{number}@example.org")
            yes = approval(f"text {number}", who, insight_id=made.id)
            yield opened.longterm.add(who, yes, chunks(yes))

    async def all_at_once():
        return await asyncio.gather(*deeds(), return_exceptions=True)

    answers = run(all_at_once())
    [memory] = [one for one in answers if not isinstance(one, Exception)]
    told = {(type(one), str(one)) for one in answers if isinstance(one, Exception)}
    first = memory.approval.by
    assert told == {
        (Conflict, f"Insight {made.id} was promoted by {first} on 2026-03-02 at 09:00 UTC. Nothing was changed.")
    }
    assert get(run, stores, made).decision.by == first
    assert len(run(stores.audit.events(person()))) == 1
    assert len(run(stores.longterm.find(person(), None, 10))) == 1


def test_of_one_who_promotes_and_one_who_dismisses_at_once_one_wins(stores, other_process, run):
    for number in range(4):
        made = make(run, stores, say(run, stores, f"said {number}"), summary=f"insight {number}")
        yes = approval(made.summary, person(name="ann"), insight_id=made.id)
        grave = tombstone(made.summary, made.id)

        async def both(yes=yes, grave=grave):
            return await asyncio.gather(
                stores.longterm.add(person(name="ann"), yes, chunks(yes)),
                other_process.tombstones.add(person(name="bob"), grave),
                return_exceptions=True,
            )

        answers = run(both())
        [refused] = [one for one in answers if isinstance(one, Exception)]
        kept = get(run, stores, made).decision
        assert isinstance(refused, Conflict)
        assert f"{kept.review} by {kept.by}" in str(refused)
        assert kept.by == ("ann" if answers[1] is refused else "bob")


def test_an_insight_that_went_meanwhile_is_not_promoted(stores, run):
    said = say(run, stores, "one")
    made = make(run, stores, said)
    run(stores.quarantine.delete(person(), said.id, "private"))
    with pytest.raises(NotFound):
        promote(run, stores, made)
    assert run(stores.longterm.find(person(), None, 10)) == []


def test_one_insight_is_put_among_those_that_wait_without_a_digest(run, stores):
    said = say(run, stores, "one")
    proposed = insight([said], "one", note=Reason.of("note.proposed", actor="cfo", reason="why"))
    assert run(stores.digests.put(system(), proposed))
    assert run(stores.digests.put(system(), proposed))
    assert run(stores.digests.insights(person(), decided=False)) == [proposed]
    assert run(stores.digests.last(person())) is None
    with pytest.raises(Forbidden):
        run(stores.digests.put(agent(), proposed))


def test_an_insight_is_not_put_where_it_is_settled_reworded_or_has_no_undecided_entry(run, stores):
    said = say(run, stores, "one")
    made = make(run, stores, said)
    assert not run(stores.digests.put(system(), replace(made, summary="another")))
    promote(run, stores, made)
    assert not run(stores.digests.put(system(), made))
    assert not run(stores.digests.put(system(), insight([said], "new")))
    assert not run(stores.digests.put(system(), insight([entry("never recorded")], "new")))
    assert run(stores.digests.insights(person(), decided=False)) == []
