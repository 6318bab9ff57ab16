"""All that relies on the inner parts of psycopg, psycopg_pool and pgvector's wire format, in one place.

Each of these was measured to be worth it, and a new version of the drivers may break it:

- `LifoPool` overrides a private method of the pool.
- `PreparedPipeline` drives libpq by the generators and the Transformer that psycopg's own cursors use.
- `BinaryArrayEncoder` writes arrays as the binary protocol has them, past psycopg's own dumpers.
- `decode_term_counts` reads what `sparsevec_send` writes.

`tests/contract/test_psycopg_internals.py` says which of them a new version breaks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import count
from struct import Struct
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from psycopg import AsyncConnection, OperationalError, adapters, capabilities, errors
from psycopg.abc import Params, PQGen
from psycopg.abc import Transformer as Reader
from psycopg.adapt import Dumper, PyFormat, Transformer
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool

from memsieve.model import Vector
from memsieve.retrieval.index import SATURATION
from memsieve.runtime.lru_cache import LRUCache

Connection = AsyncConnection[DictRow]


class LifoPool(AsyncConnectionPool[Connection]):
    """LIFO pool: reuses the most recently returned connection, whose server process has warm caches and plans."""

    async def _get_ready_connection(self, seconds: float | None) -> Connection | None:
        self._pool.rotate(1)
        return await super()._get_ready_connection(seconds)


# The most statements that a connection keeps prepared.
MOST_PREPARED = 100

_VALUE = re.compile(r"%(?:\((\w+)\))?([sb])")
_TEXT = adapters.types["text"].oid
_DONE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)
_FORMATS = {"s": PyFormat.AUTO, "b": PyFormat.BINARY}

# A statement's text and the types of its values.
Key = tuple[bytes, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _NumberedStatement:
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


class PreparedPipeline:
    """Sends a prepared statement together with its settings: one transaction, in one round trip.

    The driver's own pipeline takes longer than the round trips that it saves on one machine, and statements that are
    sent together without one cannot be prepared.
    """

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
        with _pipeline_mode(pgconn):
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
        await _evict(connection, prepared)
        result = _checked(results, connection.info.encoding)
        transformer.set_pgresult(result)
        return transformer, result


async def _evict(connection: Connection, prepared: Prepared) -> None:
    """Close the prepared statements used longest ago, where there are too many."""
    while len(prepared) > MOST_PREPARED:
        oldest = prepared.pop_oldest()
        # Not by DEALLOCATE where it can be helped: a pooler in between has names of its own.
        if capabilities.has_send_close_prepared():
            connection.pgconn.send_close_prepared(oldest)
            await connection.wait(execute(connection.pgconn))
        else:
            await connection.execute(b"DEALLOCATE " + oldest)


@contextmanager
def _pipeline_mode(pgconn: PGconn) -> Iterator[None]:
    """Send statements without waiting for each one's end; a connection that is not through with them is closed."""
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
def _numbered(statement: str) -> _NumberedStatement:
    places: dict[Any, tuple[int, PyFormat]] = {}

    def numbered(match: re.Match[str]) -> str:
        place = match[1] or len(places)
        number, _ = places.setdefault(place, (len(places) + 1, _FORMATS[match[2]]))
        return f"${number}"

    text = _VALUE.sub(numbered, statement)
    return _NumberedStatement(text.encode(), tuple(places), tuple(kind for _, kind in places.values()))


# So few are made sooner than a thread takes them on.
FEW = 50

# The dimensions, whether there are nulls, and the type; then of the one dimension its length and where it begins.
_ARRAY = Struct(">iiIii")
_LENGTH = Struct(">i")
_NULL = _LENGTH.pack(-1)
_DOUBLE = Struct(">d")
_HALFVEC = Struct(">HH")
_SPARSEVEC = Struct(">iii")
# PostgreSQL's time begins here, and is counted in microseconds.
_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)

ManyRows = tuple[str, dict[str, Any]]


class EncodedArray(bytes):
    """An array that is packed already."""

    __slots__ = ()


class _EncodedArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: EncodedArray) -> EncodedArray:
        return obj


class BinaryArrayEncoder:
    """Encodes columns of many rows as binary arrays, for a connection with its encoding and type numbers.

    COPY is refused where row-level security is at work, and to copy into a temporary table and from there through the
    wall takes longer than this.
    """

    def __init__(self, connection: Connection) -> None:
        self._types = connection.adapters.types
        self._encoding = connection.info.encoding

    def texts(self, values: Iterable[str | None], kind: str = "text") -> EncodedArray:
        """Pack texts, or what is sent as text."""
        return self._of_bytes(kind, [None if value is None else value.encode(self._encoding) for value in values])

    def integers(self, values: npt.ArrayLike) -> EncodedArray:
        return self._of_numbers("int4", ">i4", values)

    def bigints(self, values: npt.ArrayLike) -> EncodedArray:
        return self._of_numbers("int8", ">i8", values)

    def floats(self, values: Iterable[float | None]) -> EncodedArray:
        return self._of_bytes("float8", [None if value is None else _DOUBLE.pack(value) for value in values])

    def flags(self, values: npt.ArrayLike) -> EncodedArray:
        return self._of_numbers("bool", "?", values)

    def moments(self, values: Iterable[datetime]) -> EncodedArray:
        return self._of_numbers("timestamptz", ">i8", [(value - _BEGINNING) // _TICK for value in values])

    def halves(self, vectors: Iterable[Vector]) -> EncodedArray:
        """Pack vectors as float16."""
        packed = [_HALFVEC.pack(len(vector), 0) + vector.astype(">f2").tobytes() for vector in vectors]
        return self._of_bytes("halfvec", packed)

    def sparse(
        self, dimensions: int, ends: Sequence[int], indices: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
    ) -> EncodedArray:
        """Pack sparse vectors that lie one after the other, each up to its end."""
        places, numbers, packed = indices.astype(">i4").tobytes(), values.astype(">f4").tobytes(), []
        for begin, end in zip([0, *ends], ends, strict=False):
            head = _SPARSEVEC.pack(dimensions, end - begin, 0)
            packed.append(head + places[4 * begin : 4 * end] + numbers[4 * begin : 4 * end])
        return self._of_bytes("sparsevec", packed)

    def _of_bytes(self, kind: str, elements: Sequence[bytes | None]) -> EncodedArray:
        parts = [
            part
            for element in elements
            for part in ((_NULL,) if element is None else (_LENGTH.pack(len(element)), element))
        ]
        return self._packed(kind, len(elements), b"".join(parts), nulls=None in elements)

    def _of_numbers(self, kind: str, dtype: str, values: npt.ArrayLike) -> EncodedArray:
        numbers = np.asarray(values, dtype)
        elements = np.empty(len(numbers), [("length", ">i4"), ("number", dtype)])
        elements["length"] = numbers.itemsize
        elements["number"] = numbers
        return self._packed(kind, len(numbers), elements.tobytes())

    def _packed(self, kind: str, count: int, elements: bytes, *, nulls: bool = False) -> EncodedArray:
        return EncodedArray(_ARRAY.pack(1, nulls, self._types[kind].oid, count, 1) + elements)


async def send_all(connection: Connection, statements: Iterator[ManyRows], *, rows: int) -> None:
    """Run statements that bring this many rows; with many, each is made while the server works on the one before."""
    cursor = connection.cursor()
    cursor.adapters.register_dumper(EncodedArray, _EncodedArrayDumper)
    if rows <= FEW:
        for statement in statements:
            await cursor.execute(*statement)
    else:
        # The plans of triggers are kept, and one that was made for an empty table reads a whole project for each row.
        await cursor.execute("DISCARD PLANS")
        async with connection.pipeline():
            while (made := await asyncio.to_thread(next, statements, None)) is not None:
                await cursor.execute(*made)


# The header of a sparse vector on the wire.
_SPARSEVEC_HEAD = 12


class TermCounts(NamedTuple):
    """Words of a question that texts hold: in which text, which of the words, and how often."""

    texts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    often: npt.NDArray[np.float64]


def decode_term_counts(sent: Sequence[bytes], wanted: npt.NDArray[np.int64]) -> TermCounts:
    """Return where the wanted words are, which are in order, from what `sparsevec_send` made of each text's words.

    To read them into vectors would take as long as the search itself: three numbers come first, then those of the
    words, then their values.
    """
    ends = [(_SPARSEVEC_HEAD + len(one)) // 2 for one in sent]
    numbers = np.frombuffer(b"".join([one[_SPARSEVEC_HEAD:end] for one, end in zip(sent, ends, strict=True)]), ">i4")
    values = np.frombuffer(b"".join([one[end:] for one, end in zip(sent, ends, strict=True)]), ">f4")
    # The database counts dimensions from 1, and sends them from 0.
    words = np.searchsorted(wanted, numbers)
    [matches] = np.nonzero(wanted.take(words, mode="clip") == numbers if len(wanted) else ())
    reached = values[matches].astype(np.float64)
    texts = np.repeat(np.arange(len(sent)), [(end - _SPARSEVEC_HEAD) // 4 for end in ends])
    return TermCounts(texts[matches], words[matches], np.rint(SATURATION * reached / (1 - reached)))
