"""Many rows in one statement: each column travels as one array, packed as PostgreSQL's binary protocol has it.

COPY is refused where row-level security is at work, and to copy into a temporary table and from there through the wall
takes longer than this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt
from psycopg.adapt import Dumper
from psycopg.pq import Format

from memsieve.model import Vector
from memsieve.stores.postgres.database import Connection

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

Statement = tuple[str, dict[str, Any]]


class Packed(bytes):
    """An array that is packed already."""

    __slots__ = ()


class _AsItIs(Dumper):
    format = Format.BINARY

    def dump(self, obj: Packed) -> Packed:
        return obj


class Arrays:
    """Packs arrays for a connection, which has an encoding and numbers of its own for the types of vectors."""

    def __init__(self, connection: Connection) -> None:
        self._types = connection.adapters.types
        self._encoding = connection.info.encoding

    def texts(self, values: Iterable[str | None], kind: str = "text") -> Packed:
        """Pack texts, or what is sent as text."""
        return self._of_bytes(kind, [None if value is None else value.encode(self._encoding) for value in values])

    def integers(self, values: npt.ArrayLike) -> Packed:
        return self._of_numbers("int4", ">i4", values)

    def bigints(self, values: npt.ArrayLike) -> Packed:
        return self._of_numbers("int8", ">i8", values)

    def floats(self, values: Iterable[float | None]) -> Packed:
        return self._of_bytes("float8", [None if value is None else _DOUBLE.pack(value) for value in values])

    def flags(self, values: npt.ArrayLike) -> Packed:
        return self._of_numbers("bool", "?", values)

    def moments(self, values: Iterable[datetime]) -> Packed:
        return self._of_numbers("timestamptz", ">i8", [(value - _BEGINNING) // _TICK for value in values])

    def halves(self, vectors: Iterable[Vector]) -> Packed:
        """Pack vectors as float16."""
        packed = [_HALFVEC.pack(len(vector), 0) + vector.astype(">f2").tobytes() for vector in vectors]
        return self._of_bytes("halfvec", packed)

    def sparse(
        self, dimensions: int, ends: Sequence[int], indices: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
    ) -> Packed:
        """Pack sparse vectors that lie one after the other, each up to its end."""
        places, numbers, packed = indices.astype(">i4").tobytes(), values.astype(">f4").tobytes(), []
        for begin, end in zip([0, *ends], ends, strict=False):
            head = _SPARSEVEC.pack(dimensions, end - begin, 0)
            packed.append(head + places[4 * begin : 4 * end] + numbers[4 * begin : 4 * end])
        return self._of_bytes("sparsevec", packed)

    def _of_bytes(self, kind: str, elements: Sequence[bytes | None]) -> Packed:
        parts = [
            part
            for element in elements
            for part in ((_NULL,) if element is None else (_LENGTH.pack(len(element)), element))
        ]
        return self._packed(kind, len(elements), b"".join(parts), nulls=None in elements)

    def _of_numbers(self, kind: str, dtype: str, values: npt.ArrayLike) -> Packed:
        numbers = np.asarray(values, dtype)
        elements = np.empty(len(numbers), [("length", ">i4"), ("number", dtype)])
        elements["length"] = numbers.itemsize
        elements["number"] = numbers
        return self._packed(kind, len(numbers), elements.tobytes())

    def _packed(self, kind: str, count: int, elements: bytes, *, nulls: bool = False) -> Packed:
        return Packed(_ARRAY.pack(1, nulls, self._types[kind].oid, count, 1) + elements)


async def send_all(connection: Connection, statements: Iterator[Statement], *, rows: int) -> None:
    """Run statements that bring so many rows; of many each is made while the server is busy with the one before."""
    cursor = connection.cursor()
    cursor.adapters.register_dumper(Packed, _AsItIs)
    if rows <= FEW:
        for statement in statements:
            await cursor.execute(*statement)
    else:
        # The plans of triggers are kept, and one that was made for an empty table reads a whole project for each row.
        await cursor.execute("DISCARD PLANS")
        async with connection.pipeline():
            while (made := await asyncio.to_thread(next, statements, None)) is not None:
                await cursor.execute(*made)
