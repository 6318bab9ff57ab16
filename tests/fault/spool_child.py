"""A process of its own for the fault tests: records through a spool while its store comes and goes.

Usage: spool_child.py FOLDER NAME SEED
"""

import asyncio
import random
import sys
from pathlib import Path

from memsieve.errors import StoreUnavailable
from memsieve.stores.spool import quarantine
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.testing import Clock
from memsieve.testing.factories import agent, entry

quarantine.FIRST_PAUSE = 0.001
quarantine.LAST_PAUSE = 0.01


class ComesAndGoes(SqliteQuarantine):
    """A store that is away for a while every so many calls, and sometimes loses its answer."""

    chance = random.Random()
    away = 0

    async def add(self, *args):
        self.away = self.away - 1 if self.away else self.chance.choice([0] * 20 + [40])
        if self.away:
            raise StoreUnavailable("Away.")
        receipt = await super().add(*args)
        if self.chance.random() < 0.05:
            raise StoreUnavailable("The answer was lost.")
        return receipt


async def main(folder: Path, name: str, seed: str) -> None:
    database = Database(folder / "memory")
    await database.open()
    store = ComesAndGoes(database, "words", Clock())
    store.chance.seed(int(seed))
    async with quarantine.SpoolingQuarantine(store, folder / "spool", file_bytes=5000) as spool:
        for number in range(100_000):
            await spool.add(agent(), entry(f"{name} {number:06d}", id=f"{name}-{number:06d}"), f"{name} {number}")
            print(f"{name} {number:06d}", flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
