"""What is told in the log, and what agents are told."""

import asyncio
import sqlite3
from pathlib import Path

import psycopg
import pytest
from psycopg_pool import PoolTimeout
from redis import exceptions

from memsieve.errors import EmbedderError, JudgeError, MemsieveError, StoreUnavailable
from memsieve.models.embedders import OpenAIEmbedder
from memsieve.models.judges import OpenAIJudge
from memsieve.models.openai_api import OpenAIEndpoint
from memsieve.runtime.log_throttle import MAX_ERRORS, LogThrottle
from memsieve.stores.postgres.connection import translated
from memsieve.stores.redis.server import in_our_words, parse
from memsieve.stores.sqlite.database import _in_our_words as of_sqlite

FILE = Path("/srv/data of ours/memsieve.db")
HOST = "10.1.2.3"
REFUSED = f'connection failed: connection to server at "{HOST}", port 5432 failed: Connection refused'
CODES = [
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_ERROR,
]


def test_each_cause_is_news_once_a_second():
    now = [0.0]
    throttle = LogThrottle(lambda: now[0])
    assert [throttle.should_log(StoreUnavailable("down")) for _ in range(3)] == [True, False, False]
    assert throttle.should_log(StoreUnavailable("full"))
    assert throttle.should_log(JudgeError("down"))
    now[0] = 1.0
    assert [throttle.should_log(StoreUnavailable("down")) for _ in range(3)] == [True, False, False]


def test_causes_without_end_are_forgotten():
    now = [0.0]
    throttle = LogThrottle(lambda: now[0])
    for number in range(3 * MAX_ERRORS):
        now[0] = number / 10
        throttle.should_log(StoreUnavailable(str(number)))
    assert len(throttle._logged) <= MAX_ERRORS


def test_an_error_that_names_no_place_says_the_same_to_all():
    assert StoreUnavailable("Down. Try again.").public == "Down. Try again."


@pytest.mark.parametrize("code", CODES)
def test_agents_are_not_told_where_the_file_is(code):
    error = sqlite3.OperationalError("refused")
    error.sqlite_errorcode = code
    told = of_sqlite(error, FILE)
    assert told.public
    assert "/srv" not in told.public
    assert "ours" not in told.public


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError(REFUSED),
        PoolTimeout(REFUSED),
        psycopg.errors.DiskFull(f'could not extend file "/var/lib/{HOST}"'),
        psycopg.errors.DataCorrupted(f"invalid page in {HOST}"),
        psycopg.errors.ReadOnlySqlTransaction(REFUSED),
    ],
)
def test_agents_are_not_told_where_postgresql_is(error):
    with pytest.raises(MemsieveError) as raised, translated():
        raise error
    assert raised.value.public
    assert HOST not in raised.value.public


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ConnectionError(f"Error 111 connecting to {HOST}:6379."),
        exceptions.OutOfMemoryError(HOST),
        exceptions.ReadOnlyError(HOST),
        exceptions.AuthenticationError(HOST),
        exceptions.NoPermissionError(HOST),
        exceptions.ResponseError(f"MOVED 1 {HOST}:6379"),
        exceptions.ResponseError(f"OOM command not allowed at {HOST}"),
    ],
)
def test_agents_are_not_told_where_redis_is(error):
    told = in_our_words(error, parse(f"redis://{HOST}:6379"), ["a key"])
    assert HOST in str(told)
    assert told.public
    assert HOST not in told.public


@pytest.mark.parametrize("engine", [OpenAIJudge, OpenAIEmbedder])
def test_agents_are_not_told_where_a_model_is(engine):
    async def ask() -> None:
        endpoint = OpenAIEndpoint("http://127.0.0.1:9/v1", timeout=0.1)
        asked = engine(endpoint, "some-model")
        try:
            await (asked.consistent("text") if engine is OpenAIJudge else asked.embed(["text"]))
        finally:
            await endpoint.aclose()

    with pytest.raises((JudgeError, EmbedderError), match=r"127\.0\.0\.1") as raised:
        asyncio.run(ask())
    assert "some-model: the endpoint" in raised.value.public
    assert "127" not in raised.value.public
