"""A prepared statement that is sent to PostgreSQL together with its settings: one transaction, in one round trip.

The driver's own pipeline takes longer than the round trips that it saves on one machine, and statements that are sent
together without one cannot be prepared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection, OperationalError, adapters, capabilities, errors
from psycopg.abc import Params, PQGen
from psycopg.abc import Transformer as Reader
from psycopg.adapt import PyFormat, Transformer
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult
from psycopg.rows import DictRow

from memsieve.runtime.lru_cache import LRUCache

# So many statements a connection keeps prepared.
MOST_PREPARED = 100

_VALUE = re.compile(r"%(?:\((\w+)\))?([sb])")
_TEXT = adapters.types["text"].oid
_DONE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)
_FORMATS = {"s": PyFormat.AUTO, "b": PyFormat.BINARY}

Connection = AsyncConnection[DictRow]
# A statement's text and the types of its values.
Key = tuple[bytes, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Numbered:
    """A statement with numbers for its values, and where each is among those that are given."""

    text: bytes
    places: tuple[Any, ...]
    formats: tuple[PyFormat, ...]


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """What holds until the end of the transaction: the statement that sets it, and its values."""

    key: Key
    values: tuple[bytes, ...]

    @classmethod
    def of(cls, values: Mapping[str, str]) -> LocalSettings:
        """Return the settings of these names."""
        each = (f"set_config('{name}', ${number}, true)" for number, name in enumerate(values, 1))
        key = f"SELECT {', '.join(each)}".encode(), (_TEXT,) * len(values)
        return cls(key, tuple(value.encode() for value in values.values()))


# The values of all rows, by the column's name.
Columns = dict[str, tuple[Any, ...]]
Prepared = LRUCache[Key, bytes]


class Flushes:
    """Sends statements on connections, and knows what each has prepared."""

    def __init__(self) -> None:
        self._prepared: WeakKeyDictionary[Connection, Prepared] = WeakKeyDictionary()
        self._numbers = count()

    async def rows(
        self, connection: Connection, settings: LocalSettings, statement: str, values: Params
    ) -> list[DictRow]:
        """Return the rows of a statement, under settings that end with it."""
        transformer, result = await self.sent(connection, settings, statement, values)
        names = _names(result)
        return transformer.load_rows(0, result.ntuples, lambda row: dict(zip(names, row, strict=True)))

    async def columns(self, connection: Connection, settings: LocalSettings, statement: str, values: Params) -> Columns:
        """Return what a statement finds by columns, which are read in a fifth of the time of that many rows."""
        transformer, result = await self.sent(connection, settings, statement, values)
        names, rows = _names(result), transformer.load_rows(0, result.ntuples, tuple)
        return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())

    async def written(self, connection: Connection, settings: LocalSettings, statement: str, values: Params) -> int:
        """Run a statement, under settings that end with it, and return how many rows it wrote."""
        _, result = await self.sent(connection, settings, statement, values)
        return result.command_tuples or 0

    async def sent(
        self, connection: Connection, settings: LocalSettings, statement: str, values: Params
    ) -> tuple[Reader, PGresult]:
        """Run a statement, under settings that end with it; return its result and who can read it."""
        try:
            return await self._try(connection, settings, statement, values)
        except errors.InvalidSqlStatementName:
            # The driver has a connection forget everything after some errors. Nothing was done.
            self._prepared.pop(connection, None)
            return await self._try(connection, settings, statement, values)

    async def _try(
        self, connection: Connection, settings: LocalSettings, statement: str, values: Any
    ) -> tuple[Reader, PGresult]:
        numbered, transformer = _numbered(statement), Transformer(connection)
        dumped = transformer.dump_sequence([values[place] for place in numbered.places], numbered.formats)
        both = settings.key, (numbered.text, tuple(transformer.types or ()))
        prepared, pgconn = self._prepared.setdefault(connection, LRUCache()), connection.pgconn
        new = {key: f"memsieve_{next(self._numbers)}".encode() for key in both if key not in prepared}
        under, asked = (prepared.get(key) or new[key] for key in both)
        with _together(pgconn):
            for key, name in new.items():
                pgconn.send_prepare(name, key[0], param_types=key[1])
            # In binary, or a value would end where a NUL is, and a project's name be another's.
            pgconn.send_query_prepared(under, settings.values, param_formats=[Format.BINARY] * len(settings.values))
            pgconn.send_query_prepared(asked, dumped, param_formats=transformer.formats, result_format=Format.BINARY)
            pgconn.pipeline_sync()
            results = await connection.wait(_until_sync(pgconn))
        # Where something failed, there are no results of what was to come after it.
        done = (result.status in _DONE for result in results)
        for (key, name), worked in zip(new.items(), done, strict=False):
            if worked:
                prepared.set(key, name)
        await _let_go(connection, prepared)
        result = _checked(results, connection.info.encoding)
        transformer.set_pgresult(result)
        return transformer, result


async def _let_go(connection: Connection, prepared: Prepared) -> None:
    """Forget the statements used longest ago, where there are too many."""
    while len(prepared) > MOST_PREPARED:
        oldest = prepared.pop_oldest()
        # Not by DEALLOCATE where it can be helped: a pooler in between has names of its own.
        if capabilities.has_send_close_prepared():
            connection.pgconn.send_close_prepared(oldest)
            await connection.wait(execute(connection.pgconn))
        else:
            await connection.execute(b"DEALLOCATE " + oldest)


@contextmanager
def _together(pgconn: PGconn) -> Iterator[None]:
    """Let statements be sent without waiting for each one's end; a connection that is not through with them is lost."""
    pgconn.enter_pipeline_mode()
    try:
        yield
    finally:
        try:
            pgconn.exit_pipeline_mode()
        except OperationalError:
            pgconn.finish()


def _until_sync(pgconn: PGconn) -> PQGen[list[PGresult]]:
    """Return the results of all that was sent; of a connection that is lost meanwhile those that came."""
    yield from send(pgconn)
    results: list[PGresult] = []
    while not results or results[-1].status != ExecStatus.PIPELINE_SYNC:
        some = yield from fetch_many(pgconn)
        if not some:
            break
        results += some
    return results


def _names(result: PGresult) -> list[str]:
    return [(result.fname(number) or b"").decode() for number in range(result.nfields)]


def _checked(results: Sequence[PGresult], encoding: str) -> PGresult:
    """Return the last result before the end, or raise the first error."""
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise errors.error_from_result(result, encoding)
    if not results or results[-1].status != ExecStatus.PIPELINE_SYNC:
        raise OperationalError("the connection is lost")
    return results[-2]


@lru_cache(maxsize=256)
def _numbered(statement: str) -> Numbered:
    places: dict[Any, tuple[int, PyFormat]] = {}

    def numbered(match: re.Match[str]) -> str:
        place = match[1] or len(places)
        number, _ = places.setdefault(place, (len(places) + 1, _FORMATS[match[2]]))
        return f"${number}"

    text = _VALUE.sub(numbered, statement)
    return Numbered(text.encode(), tuple(places), tuple(kind for _, kind in places.values()))
