"""What could not be done, and how it is told: in the log, to whoever asked to be called, and on the recorder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass

from memsieve.integrations.said import Said

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What could not be done: a text that was not recorded (yet, or `lost` for good), or a context that was not had."""

    error: BaseException
    said: Said | None = None
    query: str | None = None
    lost: bool = False


def report(failure: Failure, on_error: Callable[[Failure], object] | None) -> None:
    """Tell of a failure; nobody's callback keeps it from the log."""
    _log.log(logging.ERROR if failure.lost else logging.WARNING, "%s", _words(failure))
    if on_error is None:
        return
    try:
        on_error(failure)
    except Exception:  # noqa: BLE001 - the failure is told of, theirs too
        _log.exception("on_error raised, after: %s", failure.error)


def _words(failure: Failure) -> str:
    error = f"{type(failure.error).__name__}: {failure.error}"
    if failure.said is None:
        return f"Memory could not be asked, and the agent went on without: {error}"
    said = failure.said
    where = f"session {said.session_id}, node {said.fields.get('node_id')}, {len(said.text)} characters"
    if failure.lost:
        return f"What was said ({where}) is not recorded, and lost to memory: {error}"
    return f"What was said ({where}) is not recorded yet, and tried again: {error}"


def report_left(waiting: Collection[Said]) -> None:
    """Tell that a recorder went away with what was never recorded."""
    if waiting:
        _log.error(
            "%d texts were never recorded: the recorder was not closed. Call close() or use `with`.", len(waiting)
        )
