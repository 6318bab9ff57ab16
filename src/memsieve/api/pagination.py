"""Lists as pages: the cursor to the next page is opaque to callers and read only here."""

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

# A page ends here, whatever its limit; its cursor leads to the rest.
PAGE_BYTES = 8 * 2**20
# Other requests are served after each piece of this size, which takes about a millisecond.
YIELD_BYTES = 2**18

T = TypeVar("T")
Write = Callable[[T], Document]


async def page(kind: str, found: Sequence[T], limit: int, write: Write[T], key: Callable[[T], str]) -> Response:
    """Return a page of records; `found` has one more than the limit where others follow."""
    items = await _encode(found[:limit], write, PAGE_BYTES)
    more = len(found) > len(items)
    return _response(items, encode_cursor(kind, key(found[len(items) - 1])) if more else None)


async def paginate_list(kind: str, records: Sequence[T], cursor: str | None, limit: int, write: Write[T]) -> Response:
    """Return a page of a whole list; its cursor is an offset."""
    start = decode_number(kind, cursor)
    items = await _encode(records[start : start + limit], write, PAGE_BYTES)
    end = start + len(items)
    return _response(items, encode_cursor(kind, str(end)) if end < len(records) else None)


async def single_page(records: Sequence[T], write: Write[T]) -> Response:
    """Return all of a short list as one page."""
    return _response(await _encode(records, write, math.inf), None)


def encode_cursor(kind: str, key: str) -> str:
    """Return the cursor to the records after a key, in lists of this kind only."""
    return base64.urlsafe_b64encode(json.dumps([kind, key]).encode()).decode().rstrip("=")


def decode_cursor(kind: str, cursor: str | None) -> str | None:
    """Return the key in a cursor of this kind of list, None without a cursor."""
    if cursor is None:
        return None
    try:
        decoded = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as exc:
        raise invalid_cursor() from exc
    match decoded:
        case [str(of), str(key)] if of == kind:
            return key
        case _:
            raise invalid_cursor()


def decode_number(kind: str, cursor: str | None) -> int:
    """Return the number in a cursor of this kind of list, 0 without a cursor."""
    key = decode_cursor(kind, cursor)
    if key is None:
        return 0
    # Longer ones were never given out, and no store can read them.
    if not (key.isascii() and key.isdigit() and len(key) < 19):  # noqa: PLR2004 - 2**62 has 19 digits
        raise invalid_cursor()
    return int(key)


def invalid_cursor() -> InvalidInput:
    """Return the error of a cursor that this list did not give, or whose record is gone."""
    return InvalidInput(
        "cursor is none that this list gave, or leads to what is gone. Begin again without it.", field="cursor"
    )


async def _encode(records: Sequence[T], write: Write[T], max_bytes: float) -> list[bytes]:
    """Return records as JSON, at least one and no more than `max_bytes`; yield to other requests in between."""
    items: list[bytes] = []
    size = yielded = 0
    for record in records:
        item = write(record).encode()
        size += len(item)
        if items and size > max_bytes:
            break
        items.append(item)
        if size - yielded >= YIELD_BYTES:
            yielded = size
            await asyncio.sleep(0)
    return items


def _response(items: list[bytes], next_cursor: str | None) -> Response:
    body = b'{"items":[%s],"next_cursor":%s}' % (b",".join(items), json.dumps(next_cursor).encode())
    return Response(body, media_type="application/json")
