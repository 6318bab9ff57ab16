"""Full, read-only and damaged disks: clear errors, and nothing that was there is lost."""

import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from http import HTTPStatus

import pytest
from httpx import Response
from starlette.testclient import TestClient

from memsieve.api.app import create_app
from memsieve.config import FilterSettings, Settings
from memsieve.errors import ConfigError, StoreCorrupt, StoreUnavailable
from memsieve.memory import Memory
from memsieve.model import EntryFilter
from memsieve.stores.sqlite.database import AT_ONCE_IN_A_ROW, Database
from memsieve.testing.server import wait_until

pytestmark = pytest.mark.usefixtures("small_embedder")
SETTINGS = Settings(filter=FilterSettings(disabled_checks=frozenset({"injection", "consistency"})))


def say(project, number, more=""):
    return project.record(
        f"Node b{number} keeps backups in rack a{number} of hall c{number}, and team d{number} owns it. {more}",
        session_id="s",
    )


def recorded(project):
    return {receipt.entry.id for receipt in project.review(by="ada@example.org").log(EntryFilter(limit=10_000))}


def test_a_full_disk_is_said_and_loses_nothing(small_disk, fill):
    ballast = small_disk / "ballast"
    with Memory.open(small_disk / "memory", settings=SETTINGS) as memory:
        project = memory.project("apollo")
        kept = {say(project, number).entry.id for number in range(5)}
        fill(ballast)
        with pytest.raises(StoreUnavailable, match=r"disk .* full") as raised:
            kept |= {say(project, number, "word " * 2000).entry.id for number in range(100, 400)}
        assert "Free some space" in str(raised.value)
        assert kept <= recorded(project)
        ballast.unlink()
        kept = {say(project, 999).entry.id} | recorded(project)
    with Memory.open(small_disk / "memory", settings=SETTINGS) as memory:
        assert recorded(memory.project("apollo")) == kept


def test_a_server_whose_disk_is_full_is_not_ready_until_there_is_room(small_disk, fill, monkeypatch, caplog):
    monkeypatch.setattr("memsieve.api.observability.monitor.CACHE_SECONDS", 0.0)
    ballast, place = small_disk / "ballast", small_disk / "memory"
    with TestClient(create_app(replace(SETTINGS, data=place)), "http://localhost", client=("127.0.0.1", 5)) as client:

        def tell(number: int) -> Response:
            body = {"project_id": "apollo", "session_id": "s", "content": f"Finding {number}: {'word ' * 2000}"}
            return client.post("/api/v1/memory/quarantine", json=body)

        assert (tell(0).status_code, client.get("/readyz").status_code) == (201, 200)
        fill(ballast)
        refused = next(answer for number in range(1, 400) if (answer := tell(number)).status_code == 503)
        assert str(small_disk) not in refused.text
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["parts"][0]["health"]) == (503, "fail")
        assert ready.json()["parts"][0]["message"] == "It takes no writes."
        assert str(small_disk) not in ready.text
        ballast.unlink()
        wait_until(lambda: client.get("/readyz").status_code == HTTPStatus.OK)
        assert tell(1000).status_code == HTTPStatus.CREATED
    assert f"{refused.headers['x-request-id']} was not served: StoreUnavailable: The disk with {place}" in caplog.text
    assert f"The database is not ready: StoreUnavailable: The disk with {place}" in caplog.text


def test_asking_for_ever_whether_a_memory_takes_writes_does_not_fill_the_disk(data, run):
    async def scenario() -> int:
        database = Database(data)
        await database.open()
        for _ in range(3 * AT_ONCE_IN_A_ROW * 10):
            await database.probe()
        size = (data / "memsieve.db-wal").stat().st_size
        await database.close()
        return size

    assert run(scenario()) < 8 * 1024 * 1024


async def probe_while_another_writes(database, data):
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        try:
            await database.probe()
        finally:
            assert time.monotonic() - began < 5


def test_a_probe_that_meets_another_writer_answers_soon_by_the_last_write(data, run):
    async def scenario() -> None:
        database = Database(data)
        await database.open()
        await database.probe()
        await probe_while_another_writes(database, data)
        await database.close()

    run(scenario())


def test_a_probe_that_meets_another_writer_before_the_first_write_does_not_say_that_all_is_well(data, run):
    async def scenario() -> None:
        database = Database(data)
        await database.open()
        with pytest.raises(StoreUnavailable, match="Another process is writing"):
            await probe_while_another_writes(database, data)
        await database.probe()
        await database.close()

    run(scenario())


def test_a_probe_that_meets_another_writer_repeats_why_the_last_write_failed(small_disk, fill, run):
    async def scenario() -> None:
        database = Database(small_disk)
        await database.open()
        fill(small_disk / "ballast")
        with pytest.raises(StoreUnavailable, match=r"disk .* full"):
            await database.write(lambda connection: connection.execute("CREATE TABLE x AS SELECT zeroblob(1000000)"))
        (small_disk / "ballast").unlink()
        with pytest.raises(StoreUnavailable, match=r"disk .* full"):
            await probe_while_another_writes(database, small_disk)
        await database.probe()
        await database.close()

    run(scenario())


def test_a_disk_that_is_full_from_the_start_is_said(small_disk, fill):
    fill(small_disk / "ballast")
    with pytest.raises((StoreUnavailable, ConfigError), match=r"full|No space"):
        Memory.open(small_disk / "memory", settings=SETTINGS)


def test_a_read_only_disk_is_said_and_the_memory_is_whole_after(small_disk):
    with Memory.open(small_disk / "memory", settings=SETTINGS) as memory:
        kept = say(memory.project("apollo"), 1).entry.id
    with ExitStack() as stack:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        stack.callback(subprocess.run, ["mount", "-o", "remount,rw", str(small_disk)], check=True)
        with pytest.raises(StoreUnavailable, match="Cannot write"):
            Memory.open(small_disk / "memory", settings=SETTINGS)
        with pytest.raises(ConfigError, match="data folder"):
            Memory.open(small_disk / "elsewhere", settings=SETTINGS)
    with Memory.open(small_disk / "memory", settings=SETTINGS) as memory:
        assert recorded(memory.project("apollo")) == {kept}


def test_nobody_else_reads_the_file_also_in_a_folder_that_was_there(tmp_path):
    tmp_path.chmod(0o755)
    with Memory.open(tmp_path, settings=SETTINGS) as memory:
        say(memory.project("apollo"), 1)
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("memsieve.db", "memsieve.db-wal", "memsieve.db-shm"), 0o600)


def test_a_data_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="data folder"):
        Memory.open(tmp_path / "file" / "memory", settings=SETTINGS)


def filled(data, count=30):
    with Memory.open(data, settings=SETTINGS) as memory:
        return {say(memory.project("apollo"), number).entry.id for number in range(count)}


@pytest.mark.parametrize("damage", [b"this is no database, whatever its name says", b"\0" * 4096])
def test_a_file_that_is_no_database_is_said_and_left_alone(data, damage):
    data.mkdir()
    file = data / "memsieve.db"
    file.write_bytes(damage * 100)
    with pytest.raises(StoreCorrupt, match="damaged"):
        Memory.open(data, settings=SETTINGS)
    assert file.read_bytes() == damage * 100


def test_damage_in_the_middle_of_the_file_is_said(data):
    filled(data)
    file = data / "memsieve.db"
    healthy = file.read_bytes()
    file.write_bytes(healthy[:4096] + b"\xff" * (len(healthy) - 4096))
    with pytest.raises(StoreCorrupt), Memory.open(data, settings=SETTINGS) as memory:
        memory.project("apollo").review(by="ada@example.org").log()


def test_a_file_cut_short_is_said(data):
    filled(data)
    file = data / "memsieve.db"
    os.truncate(file, file.stat().st_size // 2)
    with pytest.raises(StoreCorrupt), Memory.open(data, settings=SETTINGS) as memory:
        memory.project("apollo").review(by="ada@example.org").log(EntryFilter(limit=1000))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_half_written_log_opens_with_a_consistent_past(data, tmp_path, share):
    copy = tmp_path / "copy"
    with Memory.open(data, settings=SETTINGS) as memory:
        project = memory.project("apollo")
        order = [say(project, number).entry.id for number in range(20)]
        shutil.copytree(data, copy)
    log = copy / "memsieve.db-wal"
    assert log.stat().st_size > 0
    os.truncate(log, int(log.stat().st_size * share))
    (copy / "memsieve.db-shm").unlink()
    with Memory.open(copy, settings=SETTINGS) as memory:
        project = memory.project("apollo")
        left = recorded(project)
        assert left == set(order[: len(left)])
        assert len(left) < 20
        assert len(project.working()) <= len(left)
        assert project.review(by="ada@example.org").verify_audit().whole
        assert say(project, 99).admission.admitted
    with closing(sqlite3.connect(copy / "memsieve.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_whole_log_after_a_crash_loses_nothing(data, tmp_path):
    copy = tmp_path / "copy"
    with Memory.open(data, settings=SETTINGS) as memory:
        kept = {say(memory.project("apollo"), number).entry.id for number in range(20)}
        shutil.copytree(data, copy)
    with Memory.open(copy, settings=SETTINGS) as memory:
        assert recorded(memory.project("apollo")) == kept
