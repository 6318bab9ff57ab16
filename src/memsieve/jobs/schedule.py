"""What comes round by itself while a memory is open: entries left undecided are tried again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from memsieve.errors import MemsieveError
from memsieve.ingress.record import Ingress
from memsieve.model import Role, Scope
from memsieve.ports import Census

RETRY_EVERY = timedelta(minutes=1)

_log = logging.getLogger(__name__)


@asynccontextmanager
async def running(ingress: Ingress, census: Census, every: timedelta = RETRY_EVERY) -> AsyncIterator[None]:
    """Try undecided entries again from time to time, as long as the block lasts."""
    task = asyncio.create_task(_retry_for_ever(ingress, census, every))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _retry_for_ever(ingress: Ingress, census: Census, every: timedelta) -> None:
    while True:
        await asyncio.sleep(every.total_seconds())
        try:
            for project_id in await census.waiting():
                scope = Scope(project_id=project_id, actor="memsieve", role=Role.SYSTEM)
                await ingress.retry(scope, waiting_since=every)
        except MemsieveError as error:
            _log.warning("Undecided entries could not be tried again: %s", error)
