"""Workers share one queue in a real PostgreSQL: what is due is done once, whoever is killed and whatever goes down."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import psycopg
import pytest

from memsieve.config import Settings
from memsieve.jobs import queue
from memsieve.services.container import open_services
from memsieve.testing.factories import agent, entry
from memsieve.testing.server import PATIENCE, wait_until

CHILD = Path(__file__).with_name("worker_child.py")
DUE = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
PROJECTS = [f"project-{number}" for number in range(10)]
DIGEST_JOBS = "SELECT status::text, attempts FROM memsieve_jobs.procrastinate_jobs WHERE task_name = 'digest'"


@pytest.fixture
def settings(databases_18, redis_server) -> Iterator[Settings]:
    with databases_18.copy() as url:
        asyncio.run(queue.apply_schema(url))
        yield Settings(database_url=url, redis_url=redis_server.url)


@pytest.fixture
def rows(settings) -> Callable[[str], list[tuple[Any, ...]]]:
    """Ask the database, as its superuser."""

    def rows_(sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(settings.database_url) as connection:
            return connection.execute(sql.encode()).fetchall()

    return rows_


@pytest.fixture
def digests(rows) -> Callable[[], Counter[str]]:
    """Count the digests of each project."""
    return lambda: Counter(name for (name,) in rows("SELECT project_id FROM digests"))


class Child:
    """A worker in a process of its own, and what it said."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen([sys.executable, CHILD, *arguments], stdout=subprocess.PIPE, text=True)
        self.said: list[dict] = []
        self._lines: Queue[dict] = Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def until(self, holds: Callable[[dict], bool], patience: float = PATIENCE) -> dict:
        """Wait for a line of which something holds."""
        while True:
            line = self._lines.get(timeout=patience)
            if holds(line):
                return line

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and return how the worker ended."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join()
        return code

    def close(self) -> None:
        self.end(signal.SIGKILL)
        self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.said.append(json.loads(line))
            self._lines.put(self.said[-1])


@pytest.fixture
def start(settings, tmp_path) -> Iterator[Callable[..., Child]]:
    with ExitStack() as stack:

        def start_(*ways: str) -> Child:
            child = Child(settings.database_url, settings.redis_url, str(tmp_path / "clock"), *ways)
            stack.callback(child.close)
            return child

        yield start_


@pytest.fixture
def at(tmp_path) -> Callable[[datetime], None]:
    """Set the clock of all workers."""

    def at_(now: datetime) -> None:
        (tmp_path / "new").write_text(now.isoformat())
        (tmp_path / "new").replace(tmp_path / "clock")

    return at_


@pytest.fixture
def record(settings, small_embedder) -> Callable[..., None]:
    """Let each of some projects have an entry that waits for its decision."""

    async def record_all(projects: tuple[str, ...], at: datetime) -> None:
        async with open_services(settings, jobs=False) as services:
            for project in projects:
                await services.quarantine.add(agent(project), entry(project_id=project, created_at=at))

    return lambda *projects, at=DUE - HOUR: asyncio.run(record_all(projects, at))


def is_digest(outcome: str) -> Callable[[dict], bool]:
    return lambda line: line.get("job") == "digest" and line["outcome"] == outcome


def test_two_workers_make_each_due_digest_once(start, record, at, digests, rows):
    record(*PROJECTS)
    at(DUE + HOUR)
    workers = [start(), start()]
    wait_until(lambda: digests().total() >= len(PROJECTS))
    assert [worker.end() for worker in workers] == [0, 0]
    assert digests() == Counter(PROJECTS)
    made = [line["project_id"] for worker in workers for line in worker.said if is_digest("made")(line)]
    assert sorted(made) == PROJECTS
    assert set(rows(DIGEST_JOBS)) == {("succeeded", 1)}


def test_workers_decide_on_entries_that_wait(start, record, at, rows):
    record("apollo", "gemini")
    at(DUE - HOUR + timedelta(minutes=2))
    start()
    wait_until(lambda: rows("SELECT count(*) FROM admissions WHERE decision = 'pending'") == [(0,)])


def test_the_digest_of_a_killed_worker_is_made_by_another_once_its_lease_is_over(start, record, at, digests):
    record("apollo")
    at(DUE + HOUR)
    killed = start("hang")
    killed.until(lambda line: "begun" in line)
    killed.end(signal.SIGKILL)
    other = start("hasty")
    assert other.until(is_digest("put off"))["error"].startswith("Another makes this digest")
    assert digests() == {}
    at(DUE + 2 * HOUR)
    other.until(is_digest("made"))
    assert digests() == {"apollo": 1}


def test_a_worker_that_is_told_twice_to_stop_gives_its_job_back_at_once(start, record, at, digests, rows):
    record("apollo")
    at(DUE + HOUR)
    hanging = start("hang")
    hanging.until(lambda line: "begun" in line)
    hanging.process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        hanging.process.wait(1)
    assert hanging.end() == 0
    assert rows(DIGEST_JOBS) == [("todo", 1)]
    start().until(is_digest("made"))
    assert digests() == {"apollo": 1}


def test_a_worker_goes_on_by_itself_when_postgresql_comes_back(start, record, at, postgres_18):
    record("apollo")
    at(DUE - HOUR)
    worker = start()
    # The digest of the week before finds nothing: so the worker is known to work.
    worker.until(is_digest("nothing"))
    postgres_18.kill()
    try:
        at(DUE + HOUR)
        with pytest.raises(Empty):
            worker.until(is_digest("made"), patience=3)
        assert worker.process.poll() is None
    finally:
        postgres_18.start()
    worker.until(is_digest("made"))
    assert worker.end() == 0


@pytest.fixture
def command(settings):
    """Run `memsieve worker` with these engines, to its end."""
    engines = {"MEMSIEVE_DATABASE_URL": settings.database_url, "MEMSIEVE_REDIS_URL": settings.redis_url}

    def command_(*arguments: str, **changed: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **engines, **changed}
        line = [sys.executable, "-m", "memsieve", "worker", *arguments]
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)

    return command_


def test_the_command_does_what_is_due_once_and_says_so(command, record, digests):
    record("apollo", at=datetime.now(UTC) - timedelta(days=8))
    done = command("--once")
    assert done.returncode == 0, done.stderr
    outcomes = {(job["job"], job["outcome"]) for job in json.loads(done.stdout)["jobs"]}
    assert {("digest", "made"), ("retry", "done")} <= outcomes
    assert json.loads(command("--once").stdout) == {"jobs": []}
    assert digests() == {"apollo": 1}


def test_the_command_writes_a_line_of_json_for_each_job_until_it_is_told_to_stop(settings, record):
    record("apollo", at=datetime.now(UTC) - timedelta(days=8))
    engines = {"MEMSIEVE_DATABASE_URL": settings.database_url, "MEMSIEVE_REDIS_URL": settings.redis_url}
    line = [sys.executable, "-m", "memsieve", "worker", "--json"]
    with subprocess.Popen(line, env={**os.environ, **engines}, stderr=subprocess.PIPE, text=True) as worker:
        said = next(document for document in map(json.loads, worker.stderr) if document.get("job") == "digest")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    assert (said["project"], said["outcome"], said["level"]) == ("apollo", "made", "info")


def test_the_command_says_that_a_memory_in_one_file_needs_no_worker(cli):
    assert "MEMSIEVE_DATABASE_URL" in cli.refused("worker", code=2)
