"""What `ports.Happenings` promises, and what makes something happen."""

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from memsieve.api.events import EventBroker
from memsieve.errors import Conflict, InvalidInput
from memsieve.model import Decision, EventKind
from memsieve.testing.factories import (
    admission,
    agent,
    approval,
    chunks,
    digest,
    entry,
    insight,
    person,
    system,
    tombstone,
)

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
# Two transactions that write by themselves, on behalf of an agent.
RECORD = """
INSERT INTO quarantine_logs (project_id, id, session_id, content, raw_metadata, created_at)
VALUES (%s, %s, 's1', 'The ledger runs on PostgreSQL.', '{}', now())
"""


def now():
    """Return the machine's time, which decides what is news."""
    return datetime.now(UTC)


@pytest.fixture
def record(stores, run):
    """Record an entry, today unless told otherwise."""

    def record_(project="apollo", at=None, **fields):
        said = entry(project_id=project, created_at=at or now(), **fields)
        run(stores.quarantine.add(agent(project), said))
        return said

    return record_


@pytest.fixture
def decide(stores, run):
    def decide_(said, decision=Decision.ADMITTED, at=None):
        made = admission(decision, at or now())
        run(stores.quarantine.decide(system(said.project_id), said.id, made, said.embedding))

    return decide_


@pytest.fixture
def promote(stores, run):
    def promote_(content="The fleet has nine ships.", project="apollo", **fields):
        approved = approval(content, person(project), **fields)
        return run(stores.longterm.add(person(project), approved, chunks(approved)))

    return promote_


@pytest.fixture
def happened(stores, run):
    """Return what happened in a project, as kinds and subjects."""

    def happened_(project="apollo", position=None):
        return [(str(one.kind), one.subject) for one in run(stores.events.of(agent(project), position, 1000))]

    return happened_


def test_an_entry_is_recorded_and_then_admitted_or_refused(record, decide, happened):
    good, bad = record(), record()
    decide(good)
    decide(bad, Decision.REFUSED)
    assert happened() == [
        ("recorded", good.id),
        ("recorded", bad.id),
        ("admitted", good.id),
        ("refused", bad.id),
    ]


def test_what_is_recorded_twice_happens_once(record, happened):
    said = record()
    record(id=said.id, at=said.created_at)
    assert happened() == [("recorded", said.id)]


def test_a_decision_that_is_put_off_or_made_again_is_no_news_and_another_one_is(record, decide, happened):
    said = record()
    decide(said, Decision.PENDING)
    decide(said)
    decide(said)
    decide(said, Decision.REFUSED, now() - 2 * DAY)
    decide(said)
    assert [kind for kind, _ in happened()] == ["recorded", "admitted", "refused", "admitted"]


def test_a_year_that_is_imported_is_no_news(stores, run, decide, happened):
    year = [entry(created_at=now() - DAY - MINUTE * (1 + day)) for day in range(60)]
    run(stores.quarantine.add_all(agent(), year))
    for said in year:
        decide(said, Decision.REFUSED)
    assert happened() == []


def test_entries_that_come_together_happen_one_by_one_if_they_are_new(stores, run, happened):
    said = [entry(created_at=now() - DAY * old) for old in (0, 2, 0)]
    run(stores.quarantine.add_all(agent(), said))
    assert Counter(happened()) == Counter([("recorded", said[0].id), ("recorded", said[2].id)])


def test_an_entry_that_waited_for_days_and_was_tried_until_now_is_news(record, decide, happened):
    said = record(at=now() - 3 * DAY)
    decide(said, Decision.PENDING)
    decide(said)
    assert happened() == [("admitted", said.id)]


def test_a_promotion_and_a_retirement_update_what_is_known(stores, run, promote, happened):
    memory = promote()
    run(stores.longterm.retire(person(), memory.id, "wrong", []))
    kinds = ("promoted", "knowledge:updated", "retired", "knowledge:updated")
    assert happened() == [(kind, memory.id) for kind in kinds]


def test_a_deed_that_changes_nothing_is_no_news(stores, run, promote, happened):
    memory = promote()
    promote()
    run(stores.longterm.retire(person(), memory.id, "wrong", []))
    run(stores.longterm.retire(person(), memory.id, "wrong", []))
    assert [kind for kind, _ in happened()] == ["promoted", "knowledge:updated", "retired", "knowledge:updated"]


def test_many_memories_that_come_together_are_one_piece_of_news(stores, run, promote, happened):
    texts = [approval(f"The fleet has {number} ships of war.") for number in range(100)]
    run(stores.longterm.add_all(person(), [(one, chunks(one)) for one in texts]))
    assert happened() == [("knowledge:updated", texts[-1].id)]
    after = promote("The harbour is closed.")
    assert happened()[1:] == [("promoted", after.id), ("knowledge:updated", after.id)]


@pytest.mark.parametrize("many", [0, 1])
def test_an_import_of_one_memory_happens_as_a_promotion_and_of_none_not_at_all(stores, run, promote, happened, many):
    known = promote()
    before = happened()
    texts = [approval(known.approval.content), *(approval(f"The fleet has {one} sails.") for one in range(many))]
    run(stores.longterm.add_all(person(), [(one, chunks(one)) for one in texts]))
    told = [("promoted", texts[-1].id), ("knowledge:updated", texts[-1].id)]
    assert happened() == [*before, *told * many]


def test_a_digest_is_ready_when_it_is_kept_and_known_by_its_time(stores, run, record, happened):
    said = record()
    run(stores.digests.save(system(), digest(insight([said]), made_at=datetime(2026, 3, 2, 9, 0, 0, 25, UTC))))
    assert happened()[1:] == [("digest:ready", "2026-03-02T09:00:00.000025Z")]


def test_other_deeds_are_no_news(stores, run, record, happened):
    said = record()
    run(stores.tombstones.add(person(), tombstone(said.content, said.id)))
    run(stores.quarantine.delete(person(), said.id, "Ada asked for it."))
    assert happened() == [("recorded", said.id)]


def test_what_was_not_done_did_not_happen(stores, run, record, happened):
    known = record()
    other = entry("Something else.", id=known.id, created_at=now())
    with pytest.raises(Conflict):
        run(stores.quarantine.add_all(agent(), [entry(created_at=now()), other]))
    assert happened() == [("recorded", known.id)]


def test_a_happening_says_when_it_was_and_nothing_of_what_was_said(stores, run, record):
    before = now()
    said = record(content="The secret word is swordfish.")
    [told] = run(stores.events.of(agent(), None, 10))
    assert told.kind is EventKind.RECORDED
    assert told.project_id == "apollo"
    # SQLite counts milliseconds.
    assert before - timedelta(milliseconds=1) <= told.at <= now()
    assert "swordfish" not in repr(told)
    assert told.subject == said.id


def test_positions_are_in_order_and_one_goes_on_after_any_of_them(stores, other_process, run, record):
    ids = [record().id for _ in range(5)]
    told = run(stores.events.of(agent(), None, 10))
    positions = [one.position for one in told]
    assert positions == sorted(set(positions))
    for number, position in enumerate(positions):
        rest = run(other_process.events.of(agent(), position, 10))
        assert [one.subject for one in rest] == ids[number + 1 :]
    assert run(stores.events.of(agent(), positions[0], 2)) == told[1:3]


def test_one_reads_all_projects_or_only_its_own(stores, run, record):
    start = run(stores.events.newest())
    ids = [record(project).id for project in ("apollo", "gemini", "apollo")]
    told = run(stores.events.since(start))
    assert [(one.project_id, one.subject) for one in told] == list(
        zip(("apollo", "gemini", "apollo"), ids, strict=True)
    )
    assert run(stores.events.since(start, 2)) == told[:2]
    assert run(stores.events.since(told[0].position)) == told[1:]
    assert run(stores.events.of(agent(), start, 10)) == [told[0], told[2]]
    assert run(stores.events.of(person("gemini"), None, 10)) == [told[1]]
    assert run(stores.events.of(agent("mercury"), None, 10)) == []


def test_after_the_newest_position_comes_only_what_happens_later(stores, run, record):
    record()
    newest = run(stores.events.newest())
    assert run(stores.events.since(newest)) == []
    later = record()
    assert [one.subject for one in run(stores.events.since(newest))] == [later.id]
    assert run(stores.events.newest()) > newest


def test_many_writers_at_once_are_all_told_once_to_whoever_reads_meanwhile(stores, other_process, run):
    said = [entry(created_at=now()) for _ in range(60)]

    async def write(some, writer):
        for one in some:
            await writer.quarantine.add(agent(), one)

    async def read(position, writing):
        told, last = [], False
        while True:
            page = await stores.events.since(position, 7)
            told += [one.subject for one in page]
            position = page[-1].position if page else position
            if last and not page:
                return told
            last = writing.done()
            await asyncio.sleep(0)

    async def both():
        start = await stores.events.newest()
        writers = enumerate([stores, other_process] * 3)
        return await read(start, asyncio.gather(*(write(said[number::6], writer) for number, writer in writers)))

    told = run(both())
    assert sorted(told) == sorted(one.id for one in said)


def test_what_is_old_is_forgotten_in_all_projects_and_the_rest_is_kept(stores, run, record, happened):
    record()
    record("gemini")
    assert run(stores.events.forget(now() - MINUTE)) == 0
    assert run(stores.events.forget(now() + MINUTE)) == 2
    assert happened() == happened("gemini") == []
    later = record()
    assert happened() == [("recorded", later.id)]


def test_no_position_is_given_twice_also_when_all_was_forgotten(stores, run, record):
    record()
    [first] = run(stores.events.of(agent(), None, 10))
    newest = run(stores.events.newest())
    run(stores.events.forget(now() + MINUTE))
    assert run(stores.events.newest()) >= newest
    later = record()
    [told] = run(stores.events.since(first.position))
    assert told.subject == later.id
    assert told.position > first.position


def test_whoever_stands_before_the_oldest_may_have_missed_some(stores, run, record):
    for _ in range(2):
        record()
    first, second = run(stores.events.of(agent(), None, 10))
    assert run(stores.events.oldest()) < first.position
    run(stores.events.forget(now() + MINUTE))
    assert first.position < second.position <= run(stores.events.oldest()) <= run(stores.events.newest())
    later = record()
    assert first.position < run(stores.events.oldest())
    assert [one.subject for one in run(stores.events.of(agent(), first.position, 10))] == [later.id]


@pytest.mark.parametrize(
    "position",
    [
        "",
        "0",
        "now",
        "-",
        "1-1",
        "g" * 16,
        "F" * 16,
        "f" * 16,
        "0" * 15,
        "0" * 17,
        "0" * 16 + "-",
        f"{0:016x}-" * 3,
        "٠" * 16,
        7,
    ],
)
def test_a_malformed_position_is_refused(stores, run, position):
    for asked in (stores.events.since(position), stores.events.of(agent(), position, 10)):
        with pytest.raises(InvalidInput, match="Give the id of an event"):
            run(asked)


def test_a_hub_tells_what_another_process_does_and_goes_on_where_a_listener_stopped(stores, other_process, run):
    said = [entry(created_at=now()) for _ in range(6)]

    async def listen(broker, position, many):
        async with broker.subscribe("apollo", position) as listening:
            assert not listening.reset
            for one in said[many : many + 2]:
                await other_process.quarantine.add(agent(), one)
            return [await anext(listening) for _ in range(2)]

    async def scenario():
        broker, position, told = EventBroker(stores.events, every=0.01), None, []
        async with asyncio.timeout(30):
            for many in (0, 2, 4):
                told += await listen(broker, position, many)
                position = told[-1].position
        await broker.close()
        return told

    assert [one.subject for one in run(scenario())] == [one.id for one in said]


@pytest.fixture(params=["postgres-18+redis", "postgres-16+redis-cluster"])
def url(request, start_engine):
    return start_engine(request.param).database_url


@pytest.fixture
def connect(url):
    """Connect as an agent of the project, in a transaction that ends when it is told to."""
    opened = []

    def connect_(project="apollo"):
        settings = f"-c role=memsieve_agent -c app.project={project} -c lock_timeout=10s"
        connection = psycopg.connect(url, options=settings)
        opened.append(connection)
        return connection

    # The first entry of a project makes the others wait, until its name is known.
    for project in ("apollo", "gemini"):
        with connect_(project) as connection:
            connection.execute(RECORD, (project, "the first"))
    yield connect_
    for connection in opened:
        connection.close()


@pytest.fixture
def events(url, run):
    from memsieve.stores.postgres.database import Database
    from memsieve.stores.postgres.logs import PostgresEventLog

    database = Database(url)
    run(database.open())
    yield PostgresEventLog(database)
    run(database.close())


def test_a_transaction_that_drew_its_number_first_and_commits_last_is_not_missed(connect, events, run):
    start = run(events.newest())
    slow, quick = connect(), connect()
    slow.execute(RECORD, ("apollo", "first drawn"))
    quick.execute(RECORD, ("apollo", "first committed"))
    quick.commit()
    # What is committed is held back as long as something may still come before it.
    assert run(events.since(start)) == run(events.of(agent(), start, 10)) == []
    between = run(events.newest())
    slow.commit()
    told = run(events.since(start))
    assert [one.subject for one in told] == ["first drawn", "first committed"]
    assert run(events.since(between)) == told


def test_a_transaction_that_draws_its_number_late_comes_where_its_transaction_stands(connect, events, run):
    start = run(events.newest())
    slow, quick = connect(), connect()
    slow.execute("SELECT pg_current_xact_id()")
    quick.execute(RECORD, ("apollo", "quick"))
    quick.commit()
    slow.execute(RECORD, ("apollo", "slow"))
    assert run(events.since(start)) == []
    slow.commit()
    told = run(events.since(start))
    assert [one.subject for one in told] == ["slow", "quick"]
    assert told == sorted(told, key=lambda one: one.position)


def test_a_transaction_that_is_rolled_back_holds_up_nobody_and_did_not_happen(connect, events, run):
    start = run(events.newest())
    slow, quick = connect(), connect("gemini")
    slow.execute(RECORD, ("apollo", "never"))
    quick.execute(RECORD, ("gemini", "done"))
    quick.commit()
    slow.rollback()
    assert [one.subject for one in run(events.since(start))] == ["done"]


def test_agents_see_only_their_own_project_and_write_nothing(connect):
    for project in ("apollo", "gemini"):
        with connect(project) as connection:
            connection.execute(RECORD, (project, f"of {project}"))
    with connect() as connection:
        assert connection.execute("SELECT subject FROM happenings").fetchall() == [("the first",), ("of apollo",)]
        for attempt in (
            "INSERT INTO happenings (project_id, kind, subject) VALUES ('apollo', 'recorded', 'x')",
            "UPDATE happenings SET subject = 'x'",
            "DELETE FROM happenings",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(attempt)


def test_the_mark_of_deeds_that_go_together_is_gone_with_their_transaction(run, data, clock):
    from memsieve.stores.sqlite.database import Database
    from memsieve.stores.sqlite.longterm import SqliteLongTerm

    database = Database(data)
    run(database.open())
    longterm = SqliteLongTerm(database, "words", clock)
    good, bad = approval("The fleet has nine ships."), approval("The harbour is closed.")
    wrong = [replace(one, content="Nobody approved this.") for one in chunks(bad)]
    with pytest.raises(Conflict):
        run(longterm.add_all(person(), [(good, chunks(good)), (bad, wrong)]))
    run(longterm.add_all(person(), [(good, chunks(good)), (bad, chunks(bad))]))
    run(database.close())
    with closing(sqlite3.connect(data / "memsieve.db")) as connection:
        assert connection.execute("SELECT count(*) FROM deeds_together").fetchone() == (0,)
        assert connection.execute("SELECT kind FROM happenings").fetchall() == [("knowledge:updated",)]


def test_an_administrator_who_names_no_project_makes_happenings_too(url, connect, events, run):
    with connect() as connection:
        connection.execute(RECORD, ("apollo", "mended by hand"))
    before = run(events.newest())
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute("UPDATE admissions SET decision = 'refused' WHERE entry_id = 'mended by hand'")
    assert [(one.kind, one.subject) for one in run(events.since(before))] == [("refused", "mended by hand")]
