"""A process of its own for the outage tests: records and queries in many projects for some seconds.

Usage: outage_child.py DATABASE_URL REDIS_URL FOLDER NAME SECONDS [spool]

Each line says what was acknowledged, what came back that should not have, or which error was told. Like any client
that cares, it sends what was not acknowledged again, with the same idempotency key.
"""

import faulthandler
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import memsieve.services.container
import memsieve.services.embedder
from memsieve.config import FilterSettings, Settings
from memsieve.errors import StoreUnavailable
from memsieve.memory import Memory
from memsieve.testing import WordEmbedder

PROJECTS = [f"project{number:02d}" for number in range(20)]
QUICK = FilterSettings(disabled_checks=frozenset({"injection", "consistency"}))
PATIENCE = 60


def tell(**what):
    print(json.dumps(what), flush=True)  # noqa: T201 - the test reads it


def record(project, text, key, told):
    for _ in range(PATIENCE * 10):
        try:
            return project.record(text, session_id=key, confidence=0.9, idempotency_key=key)
        except StoreUnavailable as error:
            told[str(error)] += 1
            time.sleep(0.1)
    raise TimeoutError(text)


def query(project, told):
    try:
        answer = project.retrieve(f"What was found for the ledger of {project.id}?")
    except StoreUnavailable as error:
        told[str(error)] += 1
        return
    told.update(f"degraded: {name}" for name in answer.degraded)
    foreign = [item.content for item in answer.items if not item.content.endswith(f"of {project.id}.")]
    tell(query=project.id, items=len(answer.items), degraded=answer.degraded, at=time.time())
    if foreign:
        tell(foreign=foreign, project=project.id)


def main(database_url, redis_url, folder, name, seconds, *spool):
    faulthandler.dump_traceback_later(float(seconds) + PATIENCE)
    memsieve.services.embedder.choose_embedder = lambda _settings, _stack: WordEmbedder()
    settings = Settings(
        data=Path(folder), database_url=database_url, redis_url=redis_url, spool=bool(spool), filter=QUICK
    )
    told, number, choose = Counter(), 0, random.Random(name)
    with Memory.open(settings=settings) as memory:
        memory.projects()
        tell(ready=name)
        sys.stdin.readline()
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            project = memory.project(choose.choice(PROJECTS))
            found = f"Finding {name}{number} by node {name}x{number} and team {name}y{number}"
            text = f"{found} is about the ledger of {project.id}."
            receipt = record(project, text, f"{name}-{number}", told)
            tell(said=receipt.entry.id, project=project.id, content=text, at=time.time())
            if number % 3 == 0:
                query(memory.project(choose.choice(PROJECTS)), told)
            number += 1
    tell(told=told)


if __name__ == "__main__":
    main(*sys.argv[1:])
