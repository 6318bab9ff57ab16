"""What all frameworks share: record what was said, give back what is known, and never hold the agent up.

On the caller's path is the durable write and nothing else. The filter decides after that, in the background.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast

from memsieve import validate
from memsieve.errors import Conflict, Forbidden, InvalidInput, StoreUnavailable
from memsieve.integrations.failures import Failure, report, report_left
from memsieve.integrations.loop_bridge import LoopBridge
from memsieve.integrations.said import MAX_BYTES, Said, key_of, mended, named, parts, plain
from memsieve.integrations.step import Step
from memsieve.model import CALLER_FIELDS, Answer, EntryFields, Receipt
from memsieve.project import AsyncProject, Project
from memsieve.retrieval import prompt
from memsieve.runtime.backoff import Backoff
from memsieve.validate import MAX_NAME_LENGTH

# As many texts are kept while memsieve is down, and as many failures told of.
MOST_KEPT = 1000
SECONDS = 10.0
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
# Trying again would bring the same.
_FOR_GOOD = (InvalidInput, Conflict, Forbidden)

R = TypeVar("R")
_log = logging.getLogger(__name__)


class Recorder:
    """Records into one project. A failure is told of, and the agent goes on; with `on_failure="stop"` it is raised.

    `failures` lists what went wrong, `waiting` what is tried again at the next recording and when the recorder is
    closed, `lost` what could not be kept. `on_error` is called with each `Failure`. A call takes `seconds` at most.
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
        self.lost: deque[Said] = deque(maxlen=most_kept)
        self._waiting: deque[Said] = deque()
        self._most_kept = most_kept
        self._on_error = on_error
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
        self._not_before = 0.0
        self._trying_again = False
        self._ended = weakref.finalize(self, report_left, self._waiting)

    @property
    def waiting(self) -> tuple[Said, ...]:
        """What was said and is not recorded yet, oldest first."""
        return tuple(self._waiting)

    def record(self, text: str, **about: Any) -> Receipt | None:
        """Record a text: its receipt, or None if it waits. See `arecord`."""
        pieces = self._said(text, about)
        try:
            outcome = self.bridge.call(self._record_all(pieces))
        except Exception as error:  # noqa: BLE001 - the agent goes on whatever it is
            outcome = self._failed(pieces, error)
        return self._receipt(outcome)

    async def arecord(self, text: str, **about: Any) -> Receipt | None:
        """Record a text: its receipt, or None if it waits.

        `node_id`, `agent_id`, `session_id`, `confidence`, `metadata`, and a `key`, by which the same output is
        known again, say more about it. A text that is too long is recorded in parts.
        """
        pieces = self._said(text, about)
        try:
            outcome = await self.bridge.acall(self._record_all(pieces))
        except Exception as error:  # noqa: BLE001 - the agent goes on whatever it is
            outcome = self._failed(pieces, error)
        return self._receipt(outcome)

    def context(self, query: str, *, max_tokens: int | None = None, **options: Any) -> str:
        """Return the block for a prompt; see `acontext`."""
        try:
            answer = self.bridge.call(self._retrieve(query, options))
        except Exception as error:  # noqa: BLE001 - the agent goes on whatever it is
            return self.not_asked(query, error)
        return prompt.history_context(answer, max_tokens=max_tokens)

    async def acontext(self, query: str, *, max_tokens: int | None = None, **options: Any) -> str:
        """Return the block for a prompt; it says so if memory could not be asked. Options are those of `retrieve`."""
        try:
            answer = await self.aretrieve(query, **options)
        except Exception as error:  # noqa: BLE001 - the agent goes on whatever it is
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
        """Try once more what waits; what fails again is lost, and told of."""
        with suppress(Exception):
            self.bridge.call(self._try_again(at_once=True))
        self._give_up()

    async def aclose(self) -> None:
        """Try once more what waits; what fails again is lost, and told of."""
        with suppress(Exception):
            await self.bridge.acall(self._try_again(at_once=True))
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

    def _said(self, text: str, about: Mapping[str, Any]) -> list[Said]:
        """Return what is to be recorded; what is wrong with it is the caller's mistake, and raised."""
        said = _said(text, {"session_id": self.session_id, "agent_id": self.agent_id}, about)
        pieces = parts(said.text, self._max_bytes)
        if len(pieces) == 1:
            return [said]
        metadata = said.fields.get("metadata") or {}
        return [
            replace(
                said,
                text=piece,
                key=f"{said.key}-{number}",
                fields={**said.fields, "metadata": {**metadata, "part": number, "parts": len(pieces)}},
            )
            for number, piece in enumerate(pieces, 1)
            if piece.strip()
        ]

    async def _record_all(self, pieces: Sequence[Said]) -> Receipt | Exception | None:
        """Record all pieces of a text; what fails is told of here, for whoever asked may be gone by then."""
        outcome: Receipt | Exception | None = None
        for place, said in enumerate(pieces):
            try:
                outcome = await self._record(said)
            except asyncio.CancelledError:
                return self._failed(pieces[place:], StoreUnavailable("The event loop ended before it was recorded."))
            except Exception as error:  # noqa: BLE001 - the agent goes on whatever it is
                failed = self._failed([said], error)
                if self.stops:
                    return failed
        return outcome

    def _receipt(self, outcome: Receipt | Exception | None) -> Receipt | None:
        if isinstance(outcome, Exception):
            if self.stops:
                raise outcome
            return None
        return outcome

    async def _record(self, said: Said) -> Receipt | None:
        """Record one text on the project's own loop, those that wait first: they were said before."""
        if self._waiting:
            await self._try_again()
        if self._waiting:
            self._keep(said, StoreUnavailable(f"{len(self._waiting)} texts that were said before wait to be recorded."))
            return None
        return await self._write(said)

    async def _write(self, said: Said) -> Receipt:
        receipt = await self._in_time(
            self.bridge.project.record(
                said.text,
                session_id=said.session_id,
                idempotency_key=said.key,
                decide="later",
                **said.fields,
            )
        )
        self._backoff.reset()
        return receipt

    async def _try_again(self, *, at_once: bool = False) -> None:
        """Record what waits, in order, until it fails; not too often while memsieve is down."""
        if self._trying_again or (not at_once and time.monotonic() < self._not_before):
            return
        self._trying_again = True
        try:
            while self._waiting:
                await self._try_one(self._waiting[0])
        except Exception as error:  # noqa: BLE001 - told of already, when it began to wait
            _log.debug("Still not recorded: %s", error)
            self._wait_longer()
        finally:
            self._trying_again = False

    async def _try_one(self, said: Said) -> None:
        try:
            await self._write(said)
        except _FOR_GOOD as error:
            self._lose(said, error)
        # Others may have had to make room meanwhile.
        with suppress(ValueError):
            self._waiting.remove(said)

    async def _retrieve(self, query: str, options: Mapping[str, Any]) -> Answer:
        about = {"session_id": self.session_id, "agent_id": self.agent_id, **options}
        return await self._in_time(self.bridge.project.retrieve(query, **about))

    async def _in_time(self, work: Awaitable[R]) -> R:
        try:
            async with asyncio.timeout(self._seconds):
                return await work
        except TimeoutError as error:
            raise StoreUnavailable(f"memsieve did not answer within {self._seconds:g} seconds.") from error

    def _failed(self, pieces: Sequence[Said], error: Exception) -> Exception:
        for said in pieces:
            if self.stops:
                self._report(Failure(error=error, said=said, lost=True))
            elif isinstance(error, _FOR_GOOD):
                self._lose(said, error)
            else:
                self._wait_longer()
                self._keep(said, error)
        return error

    def _keep(self, said: Said, error: Exception) -> None:
        self._waiting.append(said)
        self._report(Failure(error=error, said=said))
        if len(self._waiting) > self._most_kept:
            self._lose(self._waiting.popleft(), error)

    def _wait_longer(self) -> None:
        self._not_before = time.monotonic() + self._backoff.next_delay()

    def _lose(self, said: Said, error: BaseException) -> None:
        self.lost.append(said)
        self._report(Failure(error=error, said=said, lost=True))

    def _give_up(self) -> None:
        error = StoreUnavailable("It could not be recorded before the recorder was closed.")
        while self._waiting:
            self._lose(self._waiting.popleft(), error)

    def not_asked(self, query: str, error: Exception) -> str:
        """Tell that memory could not be asked, and return the block that says so; who stops on failure raises it."""
        self._report(Failure(error=error, query=query))
        if self.stops:
            raise error
        return prompt.not_asked()

    def _report(self, failure: Failure) -> None:
        self.failures.append(failure)
        report(failure, self._on_error)


def _said(text: str, defaults: Mapping[str, Any], about: Mapping[str, Any]) -> Said:
    if not isinstance(text, str):
        raise InvalidInput(
            f"A text is recorded, not {type(text).__name__}: find it with outputs.texts().", field="text"
        )
    given = {**defaults, **{name: one for name, one in about.items() if one is not None}}
    if given["session_id"] is None:
        raise InvalidInput(
            "No session is named. Give the recorder a session_id, or the framework a thread id.", field="session_id"
        )
    sure, metadata = given.get("confidence"), plain(given.get("metadata", {}))
    try:
        sure = validate.confidence(sure)
    except InvalidInput:
        sure, metadata = None, {**metadata, "confidence": str(sure)[:MAX_NAME_LENGTH]}
    fields = {name: named(given.get(name)) for name in CALLER_FIELDS}
    return Said(
        text=mended(text),
        session_id=named(given["session_id"]) or "unnamed",
        fields=cast("EntryFields", {**fields, "confidence": sure, "metadata": metadata}),
        key=key_of(str(given["key"])) if "key" in given else uuid.uuid4().hex,
    )
