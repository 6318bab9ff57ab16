"""Redis is killed and PostgreSQL restarted under load: nothing acknowledged is lost or doubled, and service comes back.

`make soak` does it for longer.
"""

import asyncio
import json
import os
import runpy
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path

import pytest

from memsieve.config import Settings
from memsieve.memory import Memory
from memsieve.model import Decision, EntryFilter
from memsieve.stores.postgres.migrate import migrate
from memsieve.testing import PostgresServer, RedisServer

CHILD = Path(__file__).with_name("outage_child.py")
PROJECTS, QUICK = itemgetter("PROJECTS", "QUICK")(runpy.run_path(str(CHILD)))
SECONDS = float(os.environ.get("OUTAGE_SECONDS", "10"))
PROCESSES = 8
pytestmark = pytest.mark.usefixtures("small_embedder")


@pytest.fixture
def servers():
    with PostgresServer("18", fsync=True) as postgres, RedisServer() as redis:
        asyncio.run(migrate(postgres.url))
        yield postgres, redis


def settings(servers, folder):
    postgres, redis = servers
    return Settings(data=folder, database_url=postgres.url, redis_url=redis.url, filter=QUICK)


@pytest.fixture
def start(servers):
    """Start children that do not outlive the test, whatever becomes of it."""
    with ExitStack() as stack:

        def start_one(folder, name, *spool):
            child = stack.enter_context(process(servers, folder, name, *spool))
            stack.callback(child.kill)
            return child

        yield start_one


def process(servers, folder, name, *spool):
    postgres, redis = servers
    command = [sys.executable, str(CHILD), postgres.url, redis.url, str(folder), name, str(SECONDS), *spool]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **pipes)


def let_go(children):
    """Let all begin together, when each of them has started."""
    assert ["ready" in child.stdout.readline() for child in children] == [True] * PROCESSES
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()


def break_things(servers):
    """Kill Redis twice and restart PostgreSQL once, spread over the run; return when the last one came back."""
    postgres, redis = servers
    for server in (redis, postgres, redis):
        time.sleep(SECONDS * 0.15)
        server.stop() if server is postgres else server.kill()
        time.sleep(SECONDS * 0.05)
        server.start()
    return time.time()


def everything(memory):
    return [
        receipt
        for name in PROJECTS
        for receipt in memory.project(name).review(by="ada@example.org").log(EntryFilter(limit=10_000))
    ]


@pytest.mark.parametrize("spool", [(), ("spool",)])
def test_nothing_acknowledged_is_lost_or_doubled_and_nothing_foreign_is_served(servers, start, tmp_path, spool):
    with Memory.open(settings=settings(servers, tmp_path)) as memory:
        for name in PROJECTS:
            memory.project(name).review(by="ada").promote_text(f"It was verified that there is one ledger of {name}.")
    children = [start(tmp_path, f"child{number}", *spool) for number in range(PROCESSES)]
    let_go(children)
    # All are read from the beginning: whose pipe is full would wait.
    with ThreadPoolExecutor(PROCESSES) as reading:
        read = [reading.submit(child.communicate, timeout=SECONDS + 120) for child in children]
        back = break_things(servers)
        outputs = [each.result() for each in read]
    assert [child.returncode for child in children] == [0] * PROCESSES, outputs
    lines = [[json.loads(line) for line in output.splitlines()] for output, _ in outputs]
    said = [line for output in lines for line in output if "said" in line]
    queries = [line for output in lines for line in output if "query" in line]
    assert [line for output in lines for line in output if "foreign" in line] == []
    told = sum((Counter(output[-1]["told"]) for output in lines), Counter())

    with Memory.open(settings=settings(servers, tmp_path)) as memory:
        for name in PROJECTS:
            memory.maintenance(name).retry()
            memory.maintenance(name).restore_working()
        kept = everything(memory)
        counted = Counter((one.entry.project_id, one.entry.content) for one in kept)
        assert set(counted.values()) == {1}
        assert {(line["project"], line["content"]) for line in said} == set(counted)
        ids = {one.entry.id for one in kept}
        assert {line["said"] for line in said} <= ids
        assert [one for one in kept if one.admission.decision is Decision.PENDING] == []
        assert all(memory.project(name).working() for name in PROJECTS)
    assert told["degraded: working"], told
    for output in lines:
        assert any(line.get("at", 0) > back for line in output if "said" in line), "it did not go on by itself"
    last = [line for line in queries if line["at"] > back + 1]
    assert last
    assert not any("longterm" in line["degraded"] or not line["items"] for line in last[-20:])
