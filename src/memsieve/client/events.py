"""The events of a project as a stream, which continues after the last event when it breaks off."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

import httpx

from memsieve import documents
from memsieve.client.connection import Call, Connection, read, too_late, unreachable
from memsieve.errors import Conflict, SchemaOutdated, StoreUnavailable
from memsieve.model import Event, EventKind

RESET = "reset"
MAX_LINE = 1024 * 1024
_KINDS = frozenset(EventKind)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event; `position` is None where it has none."""

    event: str
    data: str
    position: str | None


async def follow_events(connection: Connection, project_id: str, after: str | None) -> AsyncGenerator[Event, None]:
    """Yield the events after a position, or from now on; reconnect whenever the stream ends."""
    position, connected = after, False
    backoff = connection.backoff(connection.patience)
    while True:
        try:
            async with connection.stream(_call(project_id, position)) as pieces:
                # Once connected, reconnect without a limit of time, however long the server is down.
                connected, backoff = True, connection.backoff(math.inf)
                async for frame in frames(pieces):
                    if frame.event == RESET:
                        _on_reset(project_id, stale=position is not None and position == after)
                    # A newer server may send other kinds of events.
                    elif frame.event in _KINDS:
                        yield read(documents.Event, frame.data)
                    position = frame.position or position
            error = None
        except httpx.TransportError as exc:
            error = unreachable(exc, connection.url)
        except StoreUnavailable as exc:
            error = exc
        delay = backoff.next_delay()
        if not backoff.permits(delay):
            raise error or too_late(connection.patience, connection.url)
        if error is not None and connected:
            _log.warning("Listening to project %s again: %s", project_id, error)
        await asyncio.sleep(delay)


async def frames(pieces: AsyncIterator[bytes]) -> AsyncIterator[Frame]:
    """Split a stream into its events; comments are skipped."""
    event, data, position = "", list[str](), None
    async for line in _lines(pieces):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if event or data or position:
                yield Frame(event, "\n".join(data), position)
            event, data, position = "", [], None
        elif name == "event":
            event = value
        elif name == "data":
            data.append(value)
        elif name == "id":
            position = value


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield whole lines. Only line feeds end them: a name may contain other separators that `splitlines` splits at."""
    rest = b""
    async for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r").decode(errors="replace")
        if len(rest) > MAX_LINE:
            raise SchemaOutdated("The event stream holds a line without an end. Is this a memsieve server?")


def _call(project_id: str, position: str | None) -> Call:
    headers = {"Accept": "text/event-stream"} | ({} if position is None else {"Last-Event-ID": position})
    return Call(method="GET", path="/events", query={"project_id": project_id}, headers=headers)


def _on_reset(project_id: str, *, stale: bool) -> None:
    if stale:
        raise Conflict(
            f"Not all that happened in project {project_id!r} since then is known any more. Read anew what you "
            "need, and listen without `after`."
        )
    _log.warning("Some of what happened in project %s may be missing: read anew what you keep of it.", project_id)
