"""When a job that failed is retried."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.jobs import Job

from memsieve.errors import EmbedderError, JudgeError, StoreUnavailable
from memsieve.runtime.backoff import delay_after

FIRST_DELAY = timedelta(seconds=30)
LONGEST_DELAY = timedelta(hours=1)
# Errors that a retry may mend: something outside did not answer.
TRANSIENT = (StoreUnavailable, EmbedderError, JudgeError)


class RetryLater(Exception):
    """Nothing is wrong, but a job cannot be done before a delay."""

    def __init__(self, message: str, delay: timedelta) -> None:
        super().__init__(message)
        self.delay = delay


def retry_delay(error: BaseException, attempts: int) -> timedelta | None:
    """Return how long to wait after an error, longer each time; None for what would fail again."""
    match error:
        case RetryLater():
            return error.delay
        case asyncio.CancelledError():
            return timedelta()
        case _ if isinstance(error, TRANSIENT):
            return timedelta(seconds=delay_after(attempts, FIRST_DELAY.total_seconds(), LONGEST_DELAY.total_seconds()))
    return None


class JobRetryStrategy(BaseRetryStrategy):
    """Tells procrastinate when to retry a job."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when, or None for never."""
        delay = retry_delay(exception, job.attempts)
        return None if delay is None else RetryDecision(retry_at=datetime.now(UTC) + delay)
