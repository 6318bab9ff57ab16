"""When a job that did not end well is tried again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.jobs import Job

from memsieve.errors import EmbedderError, JudgeError, StoreUnavailable
from memsieve.runtime.backoff import delay_after

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)
# What another try may mend: something outside did not answer.
PASSING = (StoreUnavailable, EmbedderError, JudgeError)


class NotNow(Exception):
    """Nothing is wrong, but a job cannot be done before a wait."""

    def __init__(self, message: str, wait: timedelta) -> None:
        super().__init__(message)
        self.wait = wait


def wait_after(error: BaseException, attempts: int) -> timedelta | None:
    """Return how long to wait after an error, longer each time; None for what would fail again."""
    match error:
        case NotNow():
            return error.wait
        case asyncio.CancelledError():
            return timedelta()
        case _ if isinstance(error, PASSING):
            return timedelta(seconds=delay_after(attempts, FIRST_WAIT.total_seconds(), LONGEST_WAIT.total_seconds()))
    return None


class Again(BaseRetryStrategy):
    """Tells procrastinate when to try again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when, or None for never."""
        wait = wait_after(exception, job.attempts)
        return None if wait is None else RetryDecision(retry_at=datetime.now(UTC) + wait)
