"""Single statements that are sent together with their settings: one transaction each, and nothing of it stays."""

import asyncio
import contextlib

import psycopg
import pytest

from memsieve.errors import InvalidInput, StoreUnavailable
from memsieve.stores.postgres import psycopg_internals
from memsieve.stores.postgres.database import Database, DbRole
from memsieve.testing.factories import agent, system

WHO = "SELECT current_user::text AS role, current_setting('app.project', true) AS project"


@pytest.fixture
def database(server_engine, run, monkeypatch):
    # One connection, so that each statement meets what the one before has left.
    monkeypatch.setattr("memsieve.stores.postgres.database.POOL_SIZE", 1)
    opened = Database(server_engine.database_url)
    run(opened.open())
    yield opened
    run(opened.close())


def left(database, run):
    """Return what the connection is when nobody uses it, and how many statements it has prepared."""

    async def look():
        async with database._pool.connection() as connection:
            [who] = await (await connection.execute(WHO)).fetchall()
            prepared = "SELECT count(*) AS prepared FROM pg_prepared_statements WHERE name LIKE 'memsieve%'"
            [counted] = await (await connection.execute(prepared)).fetchall()
            return who["role"], who["project"], counted["prepared"]

    return run(look())


def test_role_and_project_end_with_the_statement(database, run):
    assert run(database.fetch(DbRole.AGENT, agent(), WHO, ())) == [{"role": "memsieve_agent", "project": "apollo"}]
    assert run(database.fetch(DbRole.FILTER, system("gemini"), WHO, ())) == [
        {"role": "memsieve_filter", "project": "gemini"}
    ]
    role, project, _ = left(database, run)
    assert role not in set(DbRole)
    assert not project


def test_a_statement_that_fails_leaves_nothing_behind(database, run):
    for _ in range(3):
        with pytest.raises(InvalidInput, match="division by zero"):
            run(database.fetch(DbRole.AGENT, agent(), "SELECT 1 / %(by)s::integer AS share", {"by": 0}))
    role, project, prepared = left(database, run)
    assert role not in set(DbRole)
    assert not project
    # The statement, and the one of its settings.
    assert prepared == 2
    assert run(database.fetch(DbRole.AGENT, agent(), "SELECT 1 / %(by)s::integer AS share", {"by": 1})) == [
        {"share": 1}
    ]


def test_a_project_with_a_nul_in_its_name_is_refused_and_not_taken_for_another(database, run):
    scope = agent()
    object.__setattr__(scope, "project_id", "apollo\0gemini")
    with pytest.raises(InvalidInput, match="0x00"):
        run(database.fetch(DbRole.AGENT, scope, WHO, ()))


def test_who_only_asks_cannot_write(database, run):
    kept = "INSERT INTO answers (project_id, id, query, at) VALUES ('apollo', 'a', 'What?', now()) RETURNING id"
    with pytest.raises(StoreUnavailable, match="takes no writes"):
        run(database.fetch(DbRole.AGENT, agent(), kept, ()))


def test_statements_that_the_driver_forgot_are_prepared_again(database, run):
    asked = ("SELECT %(word)s::text AS word", {"word": "ship"})
    run(database.fetch(DbRole.AGENT, agent(), *asked))

    async def forget():
        async with database._pool.connection() as connection:
            await connection.execute("DEALLOCATE ALL")

    run(forget())
    assert run(database.fetch(DbRole.AGENT, agent(), *asked)) == [{"word": "ship"}]


def test_a_connection_keeps_only_so_many_statements(database, run, monkeypatch):
    monkeypatch.setattr(psycopg_internals, "MOST_PREPARED", 5)
    for _ in range(2):
        for number in range(12):
            statement = f"SELECT {number} AS number"
            assert run(database.fetch(DbRole.AGENT, agent(), statement, ())) == [{"number": number}]
    assert left(database, run)[2] == 5


def test_one_who_goes_away_while_waiting_holds_up_nobody(database, run):
    async def go_away():
        asking = asyncio.ensure_future(database.fetch(DbRole.AGENT, agent(), "SELECT pg_sleep(60)::text", ()))
        await asyncio.sleep(0.3)
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
        return await database.fetch(DbRole.AGENT, agent(), WHO, ())

    assert run(go_away()) == [{"role": "memsieve_agent", "project": "apollo"}]


def test_what_only_reads_is_asked_again_when_the_server_ends_the_connection(database, server_engine, run):
    async def end():
        asking = asyncio.ensure_future(database.fetch(DbRole.AGENT, agent(), "SELECT pg_sleep(1)::text AS slept", ()))
        await asyncio.sleep(0.5)
        async with await psycopg.AsyncConnection.connect(server_engine.database_url, autocommit=True) as superuser:
            await superuser.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE starts_with(query, 'SELECT pg_sleep') AND datname = current_database()"
            )
        return await asking

    assert run(end()) == [{"slept": ""}]


def test_the_connection_that_came_back_last_is_lent_first(server_engine, run):
    async def lent():
        database = Database(server_engine.database_url)
        await database.open()
        try:
            three = [await database._pool.getconn() for _ in range(3)]
            for connection in three:
                await database._pool.putconn(connection)
            again = [await database._pool.getconn() for _ in range(3)]
            for connection in again:
                await database._pool.putconn(connection)
            return three, again
        finally:
            await database.close()

    first, again = run(lent())
    assert again == first[::-1]


def test_what_a_task_does_next_finds_the_connection_of_what_it_did_before(server_engine, run):
    async def asked():
        database = Database(server_engine.database_url)
        await database.open()

        async def process(seconds=0):
            [row] = await database.fetch(
                DbRole.AGENT, agent(), "SELECT pg_backend_pid() AS pid, pg_sleep(%(s)s)::text", {"s": seconds}
            )
            return row["pid"]

        try:
            at_once = await asyncio.gather(*(process(0.5) for _ in range(3)))
            return at_once, [await process() for _ in range(6)]
        finally:
            await database.close()

    at_once, after_each_other = run(asked())
    assert len(set(at_once)) == 3
    assert len(set(after_each_other)) == 1


def test_columns_of_nothing_are_empty_and_all_there(database, run):
    found = run(
        database.fetch_columns(DbRole.AGENT, agent(), "SELECT 1 AS one, 2 AS two WHERE %(no)s", {"no": False}, ())
    )
    assert found == {"one": (), "two": ()}


def test_values_are_given_by_name_or_by_place_and_each_name_once(database, run):
    named = run(
        database.fetch(DbRole.AGENT, agent(), "SELECT %(a)s::text || %(b)s || %(a)s AS said", {"a": "x", "b": "y"})
    )
    placed = run(database.fetch(DbRole.AGENT, agent(), "SELECT %s::text || %s || %s AS said", ("x", "y", "x")))
    assert named == placed == [{"said": "xyx"}]
