"""Killed processes, several processes, several threads: nothing acknowledged is lost."""

import gc
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from memsieve.errors import StoreUnavailable
from memsieve.memory import Memory
from memsieve.model import Decision, EntryFilter, ReviewStatus

CHILD = Path(__file__).with_name("child.py")
pytestmark = pytest.mark.usefixtures("small_embedder")


def start(data, name, count, *deeds):
    command = [sys.executable, str(CHILD), str(data), name, str(count), *deeds]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def integrity(data):
    with closing(sqlite3.connect(data / "memsieve.db")) as connection:
        return connection.execute("PRAGMA integrity_check").fetchone()[0]


def recorded(project):
    return {receipt.entry.id for receipt in project.review(by="ada@example.org").log(EntryFilter(limit=10_000))}


@pytest.mark.parametrize("seen", [1, 137, 400])
def test_a_killed_process_loses_nothing_it_acknowledged(data, open_memory, seen):
    with start(data, "kay", 1000) as child:
        acknowledged = [child.stdout.readline().strip() for _ in range(seen)]
        os.kill(child.pid, signal.SIGKILL)
        acknowledged += child.stdout.read().split()
    assert child.returncode == -signal.SIGKILL
    assert seen <= len(acknowledged) < 1000
    project = open_memory(data).project("apollo")
    assert set(acknowledged) <= recorded(project)
    assert integrity(data) == "ok"
    receipt = project.record("The service was started again and goes on where it stopped.", session_id="s")
    assert receipt.admission.decision is not Decision.PENDING


def test_several_processes_record_and_promote_in_one_file(data, open_memory):
    children = [start(data, name, 40, "promote") for name in ("anna", "boris", "chen")]
    outputs = [child.communicate(timeout=60) for child in children]
    assert [error for _, error in outputs] == ["", "", ""]
    acknowledged = {line for output, _ in outputs for line in output.split()}
    project = open_memory(data).project("apollo")
    assert len(acknowledged) == 120
    assert recorded(project) == acknowledged
    assert (
        len(project.review(by="ada@example.org").log(EntryFilter(review=ReviewStatus.PROMOTED, limit=1000)))
        == len(project.memories())
        == 24
    )
    audit = project.review(by="ada@example.org").verify_audit()
    assert audit.whole, audit.problems
    assert audit.events == 24
    assert len(project.working()) <= 50
    assert integrity(data) == "ok"


def test_many_threads_share_one_memory(memory):
    project = memory.project("apollo")

    def work(thread):
        for number in range(12):
            mark = f"t{thread}n{number}"
            text = f"Node {mark}b stores its backups in rack {mark}a of hall {mark}c, and team {mark}d owns it."
            receipt = project.record(text, session_id=f"s{thread}", confidence=0.9)
            assert receipt.admission.admitted, receipt.admission.reasons
            found = project.retrieve(f"{mark}a {mark}b", session_id=f"r{thread}").items
            if number % 4 == 0:
                project.review(by="ada").promote(receipt.entry.id)
            assert text in {item.content for item in found}

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    stats = project.stats()
    assert (stats.recorded, stats.admitted, stats.memories, stats.answers) == (96, 96, 24, 96)
    assert project.review(by="ada@example.org").verify_audit().whole


def test_one_text_said_by_many_threads_at_once_is_admitted_once(memory):
    project = memory.project("apollo")
    text = "The board approved the budget of the fleet on the last day of the month."
    with ThreadPoolExecutor(8) as threads:
        receipts = list(threads.map(lambda n: project.record(text, session_id=f"s{n}"), range(16)))
    assert sum(receipt.admission.admitted for receipt in receipts) == 1
    assert len(project.working()) == 1


def test_one_key_used_by_many_threads_at_once_is_stored_once(memory):
    project = memory.project("apollo")
    text = "The board approved the budget of the fleet on the last day of the month."

    def record(_):
        return project.record(text, session_id="s", idempotency_key="k").entry.id

    with ThreadPoolExecutor(8) as threads:
        ids = set(threads.map(record, range(16)))
    assert len(ids) == 1
    assert project.stats().recorded == 1


def test_one_entry_promoted_by_many_threads_at_once_is_one_memory(memory):
    project = memory.project("apollo")
    entry_id = project.record("The board approved the budget of the fleet in the end.", session_id="s").entry.id
    with ThreadPoolExecutor(8) as threads:
        ids = {kept.id for kept in threads.map(lambda _: project.review(by="ada").promote(entry_id), range(16))}
    assert len(ids) == len(project.memories()) == 1
    assert project.review(by="ada@example.org").verify_audit().events == 1


def test_a_memory_that_was_closed_says_so(open_memory, data):
    memory = open_memory(data)
    project = memory.project("apollo")
    memory.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        project.record("The board approved the budget of the fleet.", session_id="s")


def test_a_process_that_holds_the_file_for_too_long_is_named(data, memory, monkeypatch):
    project = memory.project("apollo")
    project.record("The board approved the budget of the fleet in the end.", session_id="s")
    services = memory.inner.services
    monkeypatch.setattr("memsieve.stores.sqlite.database.BUSY_SECONDS", 0.1)
    for connection in services.quarantine._database._connections:
        connection.execute("PRAGMA busy_timeout = 100")
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="Another process"):
            project.record("The board approved the budget of another fleet in the end.", session_id="s")
        other.execute("ROLLBACK")
    assert project.record("The board approved the budget of a third fleet.", session_id="s").entry.id in recorded(
        project
    )


def test_a_new_file_that_another_process_is_just_writing_is_waited_for(data):
    data.mkdir()
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE theirs (id TEXT)")
        other.execute("BEGIN IMMEDIATE")
        finishing = threading.Timer(0.3, other.execute, ["COMMIT"])
        finishing.start()
        with Memory.open(data) as memory:
            assert memory.projects() == []
        finishing.join()


def test_a_memory_that_nobody_closed_does_not_keep_the_interpreter_from_ending(data):
    script = f"from memsieve import Memory; print(Memory.open({str(data)!r}).project('apollo').stats().recorded)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    assert (ended.stdout, ended.stderr) == ("0\n", "")


def test_a_project_keeps_its_memory_open(data):
    memory = Memory.open(data)
    project, opened = memory.project("apollo"), weakref.ref(memory)
    del memory
    gc.collect()
    assert project.stats().recorded == 0
    opened().close()


def test_the_log_of_a_memory_that_only_answers_does_not_grow_for_ever(memory, data):
    project = memory.project("apollo")
    project.review(by="ada").promote_text("The ledger is kept in PostgreSQL.")
    sizes = []
    for _ in range(4):
        for _ in range(400):
            project.retrieve("ledger")
        sizes.append((data / "memsieve.db-wal").stat().st_size)
    assert sizes[-1] <= 1.5 * sizes[1]
