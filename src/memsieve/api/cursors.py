"""Lists a page at a time: what comes next is in a cursor that only this module reads."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from starlette.responses import Response

from memsieve.documents import Document
from memsieve.errors import InvalidInput

# A page ends here, however many were asked for: whoever wants more goes on with its cursor.
PAGE_BYTES = 8 * 2**20
# Others are served in between: to write so much takes about a millisecond.
TURN_BYTES = 2**18

T = TypeVar("T")
Write = Callable[[T], Document]


async def page(kind: str, found: Sequence[T], limit: int, write: Write[T], place: Callable[[T], str]) -> Response:
    """Answer with a page of what a store found, which was asked for one more than the limit."""
    written = await _written(found[:limit], write, PAGE_BYTES)
    more = len(found) > len(written)
    return _answer(written, cursor_to(kind, place(found[len(written) - 1])) if more else None)


async def cut(kind: str, whole: Sequence[T], cursor: str | None, limit: int, write: Write[T]) -> Response:
    """Answer with a page that is cut out of a whole list, by how many came before."""
    start = number_of(kind, cursor)
    written = await _written(whole[start : start + limit], write, PAGE_BYTES)
    following = start + len(written)
    return _answer(written, cursor_to(kind, str(following)) if following < len(whole) else None)


async def whole(records: Sequence[T], write: Write[T]) -> Response:
    """Answer with all of a list that is short, as one page."""
    return _answer(await _written(records, write, math.inf), None)


def cursor_to(kind: str, place: str) -> str:
    """Return the cursor to what follows a place of a list of this kind."""
    return base64.urlsafe_b64encode(json.dumps([kind, place]).encode()).decode().rstrip("=")


def place_of(kind: str, cursor: str | None) -> str | None:
    """Return the place that a cursor of this kind of list leads to."""
    if cursor is None:
        return None
    try:
        decoded = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as exc:
        raise bad_cursor() from exc
    match decoded:
        case [str(of), str(place)] if of == kind:
            return place
        case _:
            raise bad_cursor()


def number_of(kind: str, cursor: str | None) -> int:
    """Return the number that a cursor of this kind of list leads to; 0 is the beginning."""
    place = place_of(kind, cursor)
    if place is None:
        return 0
    # Longer ones were never given out, and no store can read them.
    if not (place.isascii() and place.isdigit() and len(place) < 19):  # noqa: PLR2004 - 2**62 has 19 digits
        raise bad_cursor()
    return int(place)


def bad_cursor() -> InvalidInput:
    """Say that a cursor leads nowhere."""
    return InvalidInput(
        "cursor is none that this list gave, or leads to what is gone. Begin again without it.", field="cursor"
    )


async def _written(records: Sequence[T], write: Write[T], most: float) -> list[bytes]:
    """Write records as JSON, as many as a page takes and at least one, without keeping everybody else waiting."""
    written: list[bytes] = []
    size = told = 0
    for record in records:
        document = write(record).encode()
        size += len(document)
        if written and size > most:
            break
        written.append(document)
        if size - told >= TURN_BYTES:
            told = size
            await asyncio.sleep(0)
    return written


def _answer(written: list[bytes], next_cursor: str | None) -> Response:
    body = b'{"items":[%s],"next_cursor":%s}' % (b",".join(written), json.dumps(next_cursor).encode())
    return Response(body, media_type="application/json")
