"""A spool whose process is killed, whose file is torn and whose disk is full: nothing is lost, nothing doubled."""

import os
import random
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memsieve.errors import StoreUnavailable
from memsieve.model import EntryFilter
from memsieve.stores.spool.quarantine import SpoolingQuarantine
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.testing import Clock
from memsieve.testing.factories import agent, entry, person

CHILD = Path(__file__).with_name("spool_child.py")


class Away(SqliteQuarantine):
    """A store that cannot be reached."""

    async def add(self, *args):
        raise StoreUnavailable("The server does not answer.")


@asynccontextmanager
async def spooling(folder, kind=SqliteQuarantine):
    database = Database(folder / "memory")
    await database.open()
    try:
        async with SpoolingQuarantine(kind(database, "words", Clock()), folder / "spool") as spool:
            yield spool
    finally:
        await database.close()


async def leave(folder, *texts):
    """Record while the store is away, and end."""
    async with spooling(folder, Away) as spool:
        for text in texts:
            await spool.add(agent(), entry(text))


async def delivered(folder):
    """Start again with a store that answers, and return what it has in the end, in order."""
    async with spooling(folder) as spool:
        await spool.drained()
        found = []
        wanted = EntryFilter(limit=10_000, oldest_first=True)
        while page := await spool.find(person(), wanted):
            found += [receipt.entry.content for receipt in page]
            wanted = EntryFilter(limit=10_000, oldest_first=True, beyond_id=page[-1].entry.id)
        return found


def left(folder):
    return sorted(path.name for path in (folder / "spool").iterdir())


def start(folder, name, seed):
    command = [sys.executable, str(CHILD), str(folder), name, str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed_after(child, lines):
    """Kill a process when it has acknowledged so much, and return all that it has acknowledged."""
    said = [child.stdout.readline() for _ in range(lines)]
    os.kill(child.pid, signal.SIGKILL)
    said += child.stdout.read().splitlines(keepends=True)
    assert child.wait() == -signal.SIGKILL
    return [line.strip() for line in said if line.endswith("\n")]


@pytest.mark.parametrize("seed", range(2))
def test_killed_processes_lose_nothing_they_acknowledged_and_double_nothing(tmp_path, run, seed):
    chance, acknowledged, waited = random.Random(seed), [], 0
    for number in range(3):
        children = [start(tmp_path, f"{name}{number}", chance.randrange(1000)) for name in ("anna", "boris")]
        for child in children:
            with child:
                acknowledged += killed_after(child, chance.randrange(1, 120))
        waited += len(left(tmp_path))
    assert waited
    kept = run(delivered(tmp_path))
    assert set(acknowledged) <= set(kept)
    assert len(kept) == len(set(kept))
    for name in {text.split()[0] for text in kept}:
        mine = [text for text in kept if text.split()[0] == name]
        assert mine == sorted(mine)
    assert left(tmp_path) == []


@pytest.mark.parametrize("cut", [1, 2, 20, 100, 250])
def test_a_half_written_last_line_is_left_out_with_a_warning(tmp_path, run, caplog, cut):
    run(leave(tmp_path, "one", "two", "three"))
    [file] = (tmp_path / "spool").iterdir()
    os.truncate(file, file.stat().st_size - cut)
    assert run(delivered(tmp_path)) == ["one", "two"]
    assert "half-written line" in caplog.text
    assert left(tmp_path) == []


def test_what_comes_after_a_half_written_line_is_whole(tmp_path, run):
    run(leave(tmp_path, "one", "two"))
    [file] = (tmp_path / "spool").iterdir()
    os.truncate(file, file.stat().st_size - 5)
    run(leave(tmp_path, "three"))
    assert run(delivered(tmp_path)) == ["one", "three"]


def test_damage_in_the_midst_of_the_file_is_put_aside_and_loses_no_other(tmp_path, run, caplog):
    run(leave(tmp_path, "one", "two", "three"))
    [file] = (tmp_path / "spool").iterdir()
    file.write_bytes(file.read_bytes().replace(b'"two"', b'"t\xffo"'))
    assert run(delivered(tmp_path)) == ["one", "three"]
    assert left(tmp_path) == ["rejected.jsonl"]
    assert r"t\\xffo" in (tmp_path / "spool" / "rejected.jsonl").read_text()
    assert "refused for good" in caplog.text


def test_several_dead_processes_are_delivered_in_the_order_they_lived(tmp_path, run):
    for number in range(3):
        run(leave(tmp_path, f"{number} a", f"{number} b"))
    assert len(left(tmp_path)) == 3
    assert run(delivered(tmp_path)) == ["0 a", "0 b", "1 a", "1 b", "2 a", "2 b"]


def test_a_full_disk_is_said_with_the_store_that_is_away_and_nothing_is_half_kept(tmp_path, small_disk, fill, run):
    (tmp_path / "spool").symlink_to(small_disk)
    ballast = small_disk / "ballast"

    async def scenario():
        kept = []
        async with spooling(tmp_path, Away) as spool:

            async def say(text):
                kept.append((await spool.add(agent(), entry(text))).entry.content)

            await say("before")
            fill(ballast)
            with pytest.raises(StoreUnavailable, match=r"does not answer.*No space left.*nothing was recorded"):
                await say("x" * 10_000)
            ballast.unlink()
            await say("after")
            assert spool.waiting == len(kept)
        return kept

    assert run(scenario()) == run(delivered(tmp_path)) == ["before", "after"]


def test_a_full_disk_does_not_keep_from_delivering(tmp_path, small_disk, fill, run):
    (tmp_path / "spool").symlink_to(small_disk)
    run(leave(tmp_path, *(f"text {number}" for number in range(150))))
    fill(small_disk / "ballast")
    assert run(delivered(tmp_path)) == [f"text {number}" for number in range(150)]
    assert left(tmp_path) == ["ballast"]
