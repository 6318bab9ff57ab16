"""The recorder that all frameworks share: record outputs, retrieve context, and never stop the agent.

The caller waits for the durable write only; the filter decides later, in the background.
"""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from memsieve import validate
from memsieve.errors import Conflict, Forbidden, InvalidInput, StoreUnavailable
from memsieve.integrations.loop_bridge import LoopBridge
from memsieve.integrations.plain import Step
from memsieve.integrations.record_request import MAX_BYTES, RecordRequest
from memsieve.model import Answer, Receipt
from memsieve.project import AsyncProject, Project
from memsieve.retrieval import prompt
from memsieve.runtime.backoff import Backoff

# The most texts that wait while memsieve is down, and the most failures that are listed.
MOST_KEPT = 1000
SECONDS = 10.0
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
# A retry would fail again.
_FOR_GOOD = (InvalidInput, Conflict, Forbidden)

R = TypeVar("R")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed call: a text that is not recorded (yet, or `lost` for good), or a query that got no answer."""

    error: BaseException
    request: RecordRequest | None = None
    query: str | None = None
    lost: bool = False


class Recorder:
    """Records into one project. A failure is reported and the agent goes on; with `on_failure="stop"` it is raised.

    `failures` lists all failures, `waiting` the texts that are retried at the next recording and on close, `lost`
    those that were given up. `on_error` is called with each `Failure`. A call takes at most `seconds`.
    """

    def __init__(
        self,
        project: Project | AsyncProject,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        on_failure: Literal["go_on", "stop"] = "go_on",
        on_error: Callable[[Failure], object] | None = None,
        most_kept: int = MOST_KEPT,
        seconds: float = SECONDS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        validate.one_of(on_failure, ("go_on", "stop"), field="on_failure")
        self.bridge = LoopBridge(project)
        self.project_id = self.bridge.project.id
        self.session_id = None if session_id is None else validate.name(session_id, field="session_id")
        self.agent_id = None if agent_id is None else validate.name(agent_id, field="agent_id")
        self.stops = on_failure == "stop"
        self.failures: deque[Failure] = deque(maxlen=most_kept)
        self.lost: deque[RecordRequest] = deque(maxlen=most_kept)
        self._waiting: deque[RecordRequest] = deque()
        self._most_kept = most_kept
        self._on_error = on_error
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        self._not_before = 0.0
        self._retrying = False
        self._ended = weakref.finalize(self, _log_unrecorded, self._waiting)

    @property
    def waiting(self) -> tuple[RecordRequest, ...]:
        """The texts that are not recorded yet, oldest first."""
        return tuple(self._waiting)

    def record(self, text: str, **about: Any) -> Receipt | None:
        """Record a text: its receipt, or None if it waits. See `arecord`."""
        requests = self._requests(text, about)
        try:
            outcome = self.bridge.call(self._record_all(requests))
        except Exception as error:  # noqa: BLE001 - the agent goes on after any failure
            outcome = self._failed(requests, error)
        return self._receipt(outcome)

    async def arecord(self, text: str, **about: Any) -> Receipt | None:
        """Record a text: its receipt, or None if it waits.

        `node_id`, `agent_id`, `session_id`, `confidence`, `metadata`, and a `key`, by which the same output is
        stored once, are optional. A text that is too long is recorded in parts.
        """
        requests = self._requests(text, about)
        try:
            outcome = await self.bridge.acall(self._record_all(requests))
        except Exception as error:  # noqa: BLE001 - the agent goes on after any failure
            outcome = self._failed(requests, error)
        return self._receipt(outcome)

    def context(self, query: str, *, max_tokens: int = prompt.DEFAULT_TOKENS, **options: Any) -> str:
        """Return the block for a prompt; see `acontext`."""
        try:
            answer = self.bridge.call(self._retrieve(query, options))
        except Exception as error:  # noqa: BLE001 - the agent goes on after any failure
            return self.not_asked(query, error)
        return prompt.history_context(answer, max_tokens=max_tokens)

    async def acontext(self, query: str, *, max_tokens: int = prompt.DEFAULT_TOKENS, **options: Any) -> str:
        """Return the block for a prompt; it says so if memory could not be asked. Options are those of `retrieve`."""
        try:
            answer = await self.aretrieve(query, **options)
        except Exception as error:  # noqa: BLE001 - the agent goes on after any failure
            return self.not_asked(query, error)
        return prompt.history_context(answer, max_tokens=max_tokens)

    def retrieve(self, query: str, **options: Any) -> Answer:
        """Return what is relevant, served to this session; a failure is raised."""
        return self.bridge.call(self._retrieve(query, options))

    async def aretrieve(self, query: str, **options: Any) -> Answer:
        """Return what is relevant, served to this session; a failure is raised."""
        return await self.bridge.acall(self._retrieve(query, options))

    def step(self, name: str, **about: Any) -> Step:
        """Return a block of work: `with recorder.step("review") as step: step.say(text)`."""
        return Step(self, name, about)

    def close(self) -> None:
        """Retry the waiting texts once more; those that fail again are lost and reported."""
        with suppress(Exception):
            self.bridge.call(self._retry(at_once=True))
        self._give_up()

    async def aclose(self) -> None:
        """Retry the waiting texts once more; those that fail again are lost and reported."""
        with suppress(Exception):
            await self.bridge.acall(self._retry(at_once=True))
        self._give_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _requests(self, text: str, about: Mapping[str, Any]) -> list[RecordRequest]:
        """Return what to record; a caller's mistake is raised."""
        given = {name: value for name, value in about.items() if value is not None}
        defaults = {"session_id": self.session_id, "agent_id": self.agent_id}
        return RecordRequest.of(text, {**defaults, **given}).split(self._max_bytes)

    async def _record_all(self, requests: Sequence[RecordRequest]) -> Receipt | Exception | None:
        """Record all requests; failures are reported here, as the caller may be gone by then."""
        outcome: Receipt | Exception | None = None
        for place, request in enumerate(requests):
            try:
                outcome = await self._record(request)
            except asyncio.CancelledError:
                return self._failed(requests[place:], StoreUnavailable("The event loop ended before it was recorded."))
            except Exception as error:  # noqa: BLE001 - the agent goes on after any failure
                failed = self._failed([request], error)
                if self.stops:
                    return failed
        return outcome

    def _receipt(self, outcome: Receipt | Exception | None) -> Receipt | None:
        if isinstance(outcome, Exception):
            if self.stops:
                raise outcome
            return None
        return outcome

    async def _record(self, request: RecordRequest) -> Receipt | None:
        """Record one text on the project's own loop, after the waiting ones, which are older."""
        if self._waiting:
            await self._retry()
        if self._waiting:
            self._keep(request, StoreUnavailable(f"{len(self._waiting)} earlier texts wait to be recorded."))
            return None
        return await self._write(request)

    async def _write(self, request: RecordRequest) -> Receipt:
        receipt = await self._in_time(
            self.bridge.project.record(
                request.text,
                session_id=request.session_id,
                idempotency_key=request.key,
                decide="later",
                **request.fields,
            )
        )
        self._backoff.reset()
        return receipt

    async def _retry(self, *, at_once: bool = False) -> None:
        """Record the waiting texts in order, with back-off while memsieve is down."""
        if self._retrying or (not at_once and time.monotonic() < self._not_before):
            return
        self._retrying = True
        try:
            while self._waiting:
                await self._retry_one(self._waiting[0])
        except Exception as error:  # noqa: BLE001 - reported already, when it began to wait
            _log.debug("Still not recorded: %s", error)
            self._back_off()
        finally:
            self._retrying = False

    async def _retry_one(self, request: RecordRequest) -> None:
        try:
            await self._write(request)
        except _FOR_GOOD as error:
            self._lose(request, error)
        # It may have been given up meanwhile, to make room.
        with suppress(ValueError):
            self._waiting.remove(request)

    async def _retrieve(self, query: str, options: Mapping[str, Any]) -> Answer:
        about = {"session_id": self.session_id, "agent_id": self.agent_id, **options}
        return await self._in_time(self.bridge.project.retrieve(query, **about))

    async def _in_time(self, work: Awaitable[R]) -> R:
        try:
            async with asyncio.timeout(self._seconds):
                return await work
        except TimeoutError as error:
            raise StoreUnavailable(f"memsieve did not answer within {self._seconds:g} seconds.") from error

    def _failed(self, requests: Sequence[RecordRequest], error: Exception) -> Exception:
        for request in requests:
            if self.stops:
                self._report(Failure(error=error, request=request, lost=True))
            elif isinstance(error, _FOR_GOOD):
                self._lose(request, error)
            else:
                self._back_off()
                self._keep(request, error)
        return error

    def _keep(self, request: RecordRequest, error: Exception) -> None:
        self._waiting.append(request)
        self._report(Failure(error=error, request=request))
        if len(self._waiting) > self._most_kept:
            self._lose(self._waiting.popleft(), error)

    def _back_off(self) -> None:
        self._not_before = time.monotonic() + self._backoff.next_delay()

    def _lose(self, request: RecordRequest, error: BaseException) -> None:
        self.lost.append(request)
        self._report(Failure(error=error, request=request, lost=True))

    def _give_up(self) -> None:
        error = StoreUnavailable("It could not be recorded before the recorder was closed.")
        while self._waiting:
            self._lose(self._waiting.popleft(), error)

    def not_asked(self, query: str, error: Exception) -> str:
        """Report that memory could not be asked; raise, or return the block that says so."""
        self._report(Failure(error=error, query=query))
        if self.stops:
            raise error
        return prompt.not_asked()

    def _report(self, failure: Failure) -> None:
        self.failures.append(failure)
        _log_failure(failure, self._on_error)


def _log_failure(failure: Failure, on_error: Callable[[Failure], object] | None) -> None:
    """Log a failure and call `on_error`, whose own failure is logged as well."""
    _log.log(logging.ERROR if failure.lost else logging.WARNING, "%s", _words(failure))
    if on_error is None:
        return
    try:
        on_error(failure)
    except Exception:  # noqa: BLE001 - a callback must not stop the agent
        _log.exception("on_error raised, after: %s", failure.error)


def _words(failure: Failure) -> str:
    error = f"{type(failure.error).__name__}: {failure.error}"
    if failure.request is None:
        return f"Memory could not be asked, and the agent went on without: {error}"
    request = failure.request
    where = f"session {request.session_id}, node {request.fields.get('node_id')}, {len(request.text)} characters"
    if failure.lost:
        return f"A text ({where}) is not recorded, and lost to memory: {error}"
    return f"A text ({where}) is not recorded yet, and tried again: {error}"


def _log_unrecorded(waiting: Collection[RecordRequest]) -> None:
    """Log that a recorder was garbage-collected with texts that were never recorded."""
    if waiting:
        _log.error(
            "%d texts were never recorded: the recorder was not closed. Call close() or use `with`.", len(waiting)
        )
