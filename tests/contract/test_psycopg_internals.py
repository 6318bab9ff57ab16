"""What relies on the drivers' inner parts: prepared statements in one round trip, the pool, arrays and their types.

The first tests fail with the name of the file to mend when another version of psycopg or psycopg_pool changes them.
"""

import asyncio
import contextlib
import inspect
from collections import deque
from datetime import UTC, datetime, timedelta

import numpy as np
import psycopg
import psycopg_pool
import pytest
from pgvector.psycopg import register_vector_async
from psycopg import capabilities, generators
from psycopg.adapt import Dumper, Transformer
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from memsieve.errors import InvalidInput, StoreUnavailable
from memsieve.stores.postgres import psycopg_internals
from memsieve.stores.postgres.database import Database, DbRole
from memsieve.stores.postgres.psycopg_internals import BinaryArrayEncoder, EncodedArray
from memsieve.testing.factories import agent, system

FILE = "src/memsieve/stores/postgres/psycopg_internals.py"
VERSIONS = f"psycopg {psycopg.__version__}, psycopg_pool {psycopg_pool.__version__}"


@contextlib.contextmanager
def relied_on(what):
    """Say which file must be mended where a version of the drivers does otherwise."""
    try:
        yield
    except Exception as exc:  # noqa: BLE001 - whatever it is, it has changed
        pytest.fail(f"{FILE} relies on this, and {VERSIONS} has changed it: {what} ({exc!r:.300})")


def parameters(function):
    return list(inspect.signature(function).parameters)


def test_the_drivers_have_the_inner_parts_that_are_relied_on():
    with relied_on("the pool lends by _get_ready_connection(timeout)"):
        assert parameters(AsyncConnectionPool._get_ready_connection) == ["self", "timeout"]
        assert inspect.iscoroutinefunction(AsyncConnectionPool._get_ready_connection)
        assert "await self._get_ready_connection(timeout)" in inspect.getsource(AsyncConnectionPool)
    with relied_on("the pool keeps idle connections in the deque _pool, and lends from its left"):
        assert isinstance(AsyncConnectionPool("", open=False)._pool, deque)
        assert "self._pool.popleft()" in inspect.getsource(AsyncConnectionPool._get_ready_connection)
    with relied_on("the generators execute, fetch_many and send take a libpq connection"):
        for generator in (generators.execute, generators.fetch_many, generators.send):
            assert parameters(generator) == ["pgconn"]
    with relied_on("the Transformer dumps sequences and loads rows"):
        transformer = Transformer()
        assert callable(transformer.dump_sequence)
        assert callable(transformer.load_rows)
        assert callable(transformer.set_pgresult)
        assert transformer.types is None
        assert transformer.formats is None
    with relied_on("libpq's pipeline and prepared statements can be driven by hand"):
        for name in (
            "enter_pipeline_mode",
            "exit_pipeline_mode",
            "pipeline_sync",
            "send_prepare",
            "send_query_prepared",
            "send_close_prepared",
            "finish",
        ):
            assert callable(getattr(psycopg.pq.PGconn, name))
        assert isinstance(capabilities.has_send_close_prepared(), bool)
        assert parameters(psycopg.errors.error_from_result)[:2] == ["result", "encoding"]
    with relied_on("a Dumper with a format and dump() is all that a value needs"):
        assert parameters(Dumper.dump) == ["self", "obj"]


def test_arrays_are_written_as_the_server_reads_them(server_engine, run):
    at = datetime(2026, 3, 2, 9, 0, 0, 7, UTC)
    moments = [at, at - timedelta(days=20_000)]

    async def written():
        async with await psycopg.AsyncConnection.connect(server_engine.database_url) as connection:
            await register_vector_async(connection)
            arrays = BinaryArrayEncoder(connection)
            connection.adapters.register_dumper(EncodedArray, psycopg_internals._EncodedArrayDumper)
            values = {
                "texts": (arrays.texts(["a", None, "", "空 \\"]), "text[]"),
                "documents": (arrays.texts(['{"a":1}', None], "json"), "json[]"),
                "integers": (arrays.integers([1, -2]), "int4[]"),
                "bigints": (arrays.bigints([2**40]), "int8[]"),
                "floats": (arrays.floats([0.5, None]), "float8[]"),
                "flags": (arrays.flags([True, False]), "bool[]"),
                "moments": (arrays.moments(moments), "timestamptz[]"),
                "halves": (arrays.halves([np.array([1, 0.5], np.float32)]), "halfvec[]"),
                "sparse": (arrays.sparse(9, [1, 1], np.array([3]), np.array([0.5])), "sparsevec[]"),
                "none": (arrays.texts([]), "text[]"),
            }
            columns = ", ".join(
                f"%({name})s::{kind}{'::text[]' if 'vec' in kind else ''} AS {name}"
                for name, (_, kind) in values.items()
            )
            cursor = connection.cursor(row_factory=dict_row)
            await cursor.execute(f"SELECT {columns}", {name: packed for name, (packed, _) in values.items()})
            return await cursor.fetchone()

    with relied_on("arrays of the binary protocol"):
        assert run(written()) == {
            "texts": ["a", None, "", "空 \\"],
            "documents": [{"a": 1}, None],
            "integers": [1, -2],
            "bigints": [2**40],
            "floats": [0.5, None],
            "flags": [True, False],
            "moments": moments,
            "halves": ["[1,0.5]"],
            "sparse": ["{4:0.5}/9", "{}/9"],
            "none": [],
        }


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
