"""The spool: what is recorded while the store is away waits on disk, and is delivered once and in order."""

import asyncio
import errno
import json
import os
import threading
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsieve.errors import ConfigError, Conflict, Forbidden, InvalidInput, StoreCorrupt, StoreUnavailable
from memsieve.model import Decision, EntryFilter, NotChecked, Reason
from memsieve.stores.spool.file import SpooledEntry, SpoolFile, pack, unpack
from memsieve.stores.spool.quarantine import SpoolingQuarantine
from memsieve.stores.spool.queue import SpoolQueue
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.testing import Clock
from memsieve.testing.factories import NOW, admission, agent, entry, person, system

DOWN = StoreUnavailable("The server does not answer.")


class Line:
    """A line to a store that can be cut, before a call or before its answer."""

    def __init__(self, store):
        self.store = store
        self.cut = False
        self.lost_answers = 0
        self.refuses = {}

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def add(self, scope, said, key=None):
        if self.cut:
            raise DOWN
        if said.content in self.refuses:
            raise self.refuses[said.content]
        receipt = await self.store.add(scope, said, key)
        if self.lost_answers:
            self.lost_answers -= 1
            raise DOWN
        return receipt


@asynccontextmanager
async def opened_line(folder):
    database = Database(folder)
    await database.open()
    try:
        yield Line(SqliteQuarantine(database, "words", Clock()))
    finally:
        await database.close()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    monkeypatch.setattr("memsieve.stores.spool.quarantine.FIRST_PAUSE", 0.002)
    monkeypatch.setattr("memsieve.stores.spool.quarantine.LAST_PAUSE", 0.01)


@pytest.fixture
def line(data, run):
    opened = opened_line(data)
    yield run(opened.__aenter__())
    run(opened.__aexit__(None, None, None))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "spool"


@pytest.fixture
def spool(line, folder, run):
    store = SpoolingQuarantine(line, folder)
    yield run(store.__aenter__())
    run(store.__aexit__(None, None, None))


async def contents(store, project="apollo"):
    found = await store.find(person(project), EntryFilter(limit=10_000, oldest_first=True))
    return [receipt.entry.content for receipt in found]


async def say(store, *texts):
    return [await store.add(agent(), entry(text)) for text in texts]


async def until(happened):
    while not happened():  # noqa: ASYNC110 - nobody announces it
        await asyncio.sleep(0.001)


def files(folder):
    return sorted(folder.glob("waiting-*.jsonl"))


def rejected(folder):
    return [json.loads(one) for one in (folder / "rejected.jsonl").read_text().splitlines()]


async def crash(store):
    """Let go of the files as a process does that dies: nothing more is delivered or noted."""
    store._delivering.cancel()
    with suppress(asyncio.CancelledError):
        await store._delivering
    store._queue._thread.shutdown()
    for file in store._queue._files:
        file.close()
    store._queue._folder.close()


def test_while_the_store_answers_nothing_is_spooled(spool, line, folder, run):
    [receipt] = run(say(spool, "one"))
    assert (receipt.admission.decision, receipt.admission.checks) == (Decision.PENDING, ())
    assert run(contents(line)) == ["one"]
    assert (spool.waiting, files(folder)) == (0, [])


def test_while_the_store_is_away_entries_wait_and_are_said_to(spool, line, run):
    line.cut = True
    said = entry("one")
    receipt = run(spool.add(agent(), said))
    assert (receipt.entry, receipt.new) == (said, True)
    assert not run(spool.add(agent(), said)).new
    assert receipt.admission.decision is Decision.PENDING
    assert receipt.admission.not_checked is NotChecked.SPOOLED
    assert receipt.admission.reasons == (Reason.of("pending.spooled"),)
    assert (spool.waiting, run(contents(line))) == (1, [])


def test_what_waited_is_delivered_in_order_when_the_store_is_back(spool, line, run):
    async def scenario():
        await say(spool, "one")
        line.cut = True
        await say(spool, "two", "three")
        line.cut = False
        # The store is back, and still this one must not come before the others.
        await say(spool, "four")
        await spool.drained()
        await say(spool, "five")
        return await contents(line)

    assert run(scenario()) == ["one", "two", "three", "four", "five"]
    assert spool.waiting == 0


def test_what_is_delivered_is_pending_for_the_filter(spool, line, run):
    async def scenario():
        line.cut = True
        [receipt] = await say(spool, "one")
        line.cut = False
        await spool.drained()
        return await spool.get(system(), receipt.entry.id)

    assert run(scenario()).admission.checks == ()


def test_a_file_of_which_all_is_delivered_is_removed(spool, line, folder, run):
    async def scenario():
        line.cut = True
        await say(spool, "one", "two")
        assert len(files(folder)) == 1
        line.cut = False
        await until(lambda: not files(folder))
        return await contents(line)

    assert run(scenario()) == ["one", "two"]


def test_a_file_that_is_written_to_while_another_is_removed_stays(line, folder, run, monkeypatch):
    append = SpoolFile.append
    begun, go_on = threading.Event(), threading.Event()

    def append_slowly(*args):
        begun.set()
        go_on.wait()
        append(*args)

    async def scenario():
        line.cut = True
        async with SpoolingQuarantine(line, folder) as store:
            await say(store, "one")
        queue = SpoolQueue(folder)
        await queue.open()
        file, [waiting] = await queue.next(10)
        await queue.settle(file, waiting, None)
        monkeypatch.setattr(SpoolFile, "append", append_slowly)
        said = SpooledEntry(scope=agent(), entry=entry("two"), idempotency_key=None)
        appending = asyncio.create_task(queue.append(said, pack(said.document())))
        await until(begun.is_set)
        tidying = asyncio.create_task(queue.tidy())
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(appending, tidying)
        await queue.close()
        line.cut = False
        async with SpoolingQuarantine(line, folder) as store:
            await store.drained()
        return await contents(line)

    assert run(scenario()) == ["two"]


def test_all_but_adding_passes_straight_through(spool, line, run):
    [receipt] = run(say(spool, "one"))
    entry_id = receipt.entry.id
    run(spool.decide(system(), entry_id, admission(), None))
    assert run(spool.get(person(), entry_id)).admission.admitted
    assert len(run(spool.find(person(), EntryFilter()))) == 1
    assert run(spool.delete(person(), entry_id, "It is wrong."))
    assert run(contents(line)) == []


def test_what_waits_is_found_as_pending_by_its_id_in_its_own_project(spool, line, run):
    async def down(_scope, _id):
        raise DOWN

    line.cut = True
    [receipt] = run(say(spool, "one"))
    for store_answers in (True, False):
        if not store_answers:
            line.get = down
        found = run(spool.get(system(), receipt.entry.id))
        assert (found.entry.content, found.admission) == ("one", receipt.admission)
        with pytest.raises(Forbidden):
            run(spool.get(agent(), receipt.entry.id))
    # Of what is not here only the store knows.
    with pytest.raises(StoreUnavailable):
        run(spool.get(system("gemini"), receipt.entry.id))
    del line.get
    assert run(spool.get(system("gemini"), receipt.entry.id)) is None


def test_what_is_delivered_is_as_the_store_has_it(spool, line, folder, run):
    line.cut = True
    first, second = run(say(spool, "one", "two"))
    line.refuses = {"two": Forbidden("Not yet.")}
    line.cut = False
    run(asyncio.wait_for(until(lambda: spool.waiting == 1), 10))
    run(line.store.decide(system(), first.entry.id, admission(), None))
    assert run(spool.get(system(), first.entry.id)).admission.decision is Decision.ADMITTED
    # Its line still lies in the file, and must not bring it back.
    run(spool.delete(person(), first.entry.id, "personal data"))
    assert run(spool.get(person(), first.entry.id)) is None
    assert run(spool.get(person(), second.entry.id)).admission.decision is Decision.PENDING
    line.refuses = {}
    run(asyncio.wait_for(spool.drained(), 10))


def test_an_answer_that_was_lost_doubles_nothing(spool, line, run):
    async def scenario():
        line.lost_answers = 2
        await say(spool, "one", "two")
        await spool.drained()
        return await contents(line)

    assert run(scenario()) == ["one", "two"]


def test_what_was_delivered_and_then_deleted_does_not_come_back_after_a_crash(line, folder, run):
    async def scenario():
        store = await SpoolingQuarantine(line, folder).__aenter__()
        line.cut = True
        [first, _] = await say(store, "one", "two")
        line.refuses, line.cut = {"two": DOWN}, False
        await until(lambda: store.waiting == 1)
        await store.delete(person(), first.entry.id, "It is wrong.")
        await crash(store)
        line.refuses = {}
        async with SpoolingQuarantine(line, folder) as store:
            await store.drained()
        return await contents(line)

    assert run(scenario()) == ["two"]


def test_what_is_noted_after_a_half_written_line_can_be_read(line, folder, run):
    async def scenario():
        line.cut = True
        async with SpoolingQuarantine(line, folder) as store:
            await say(store, "one", "two", "three")
        [file] = files(folder)
        os.truncate(file, file.stat().st_size - 5)
        line.refuses, line.cut = {"two": DOWN}, False
        async with SpoolingQuarantine(line, folder) as store:
            await until(lambda: store.waiting == 1)
        line.refuses = {}
        async with SpoolingQuarantine(line, folder) as store:
            await store.drained()
        return await contents(line)

    assert run(scenario()) == ["one", "two"]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("same", ["id", "key"])
def test_the_same_again_while_it_waits_gives_the_first_receipt(spool, line, run, same):
    async def scenario():
        line.cut = True
        first = await spool.add(agent(), entry("one", id="a"), "k")
        again = entry("one", id="a") if same == "id" else entry("one", id="b")
        second = await spool.add(agent(), again, "k" if same == "key" else None)
        assert (second, spool.waiting) == (first, 1)
        line.cut = False
        await spool.drained()
        return await contents(line)

    assert run(scenario()) == ["one"]


@pytest.mark.parametrize("same", ["id", "key"])
def test_other_content_under_the_same_name_is_a_conflict_while_it_waits(spool, line, run, same):
    line.cut = True
    run(spool.add(agent(), entry("one", id="a"), "k"))
    other = entry("two", id="a" if same == "id" else "b")
    with pytest.raises(Conflict, match="Entry a waits"):
        run(spool.add(agent(), other, "k" if same == "key" else None))
    assert spool.waiting == 1


def test_the_same_name_in_two_projects_is_two_entries(spool, line, run):
    line.cut = True
    for project in ("apollo", "gemini"):
        run(spool.add(agent(project), entry("one", id="a", project_id=project), "k"))
    assert spool.waiting == 2


def test_the_same_key_at_the_same_moment_is_kept_once(spool, line, run):
    async def scenario():
        line.cut = True
        return await asyncio.gather(*(spool.add(agent(), entry("one"), "k") for _ in range(8)))

    assert len({receipt.entry.id for receipt in run(scenario())}) == 1
    assert spool.waiting == 1


def test_what_a_process_before_left_is_known_by_its_key(line, folder, run):
    async def scenario():
        line.cut = True
        async with SpoolingQuarantine(line, folder) as store:
            first = await store.add(agent(), entry("one"), "k")
        async with SpoolingQuarantine(line, folder) as store:
            assert await store.add(agent(), entry("one"), "k") == first
            with pytest.raises(Conflict):
                await store.add(agent(), entry("two"), "k")

    run(scenario())


@pytest.mark.parametrize("error", [Conflict("Other."), InvalidInput("Bad.", field="content")])
def test_what_is_refused_for_good_is_put_aside_and_holds_up_nothing(spool, line, folder, run, caplog, error):
    async def scenario():
        line.cut = True
        await say(spool, "one", "two\n数据", "three")
        line.refuses = {"two\n数据": error}
        line.cut = False
        await spool.drained()
        return await contents(line)

    assert run(scenario()) == ["one", "three"]
    [put_aside] = rejected(folder)
    assert (put_aside["reason"], put_aside["entry"]["content"]) == (str(error), "two\n数据")
    assert [record.levelname for record in caplog.records if "refused for good" in record.message] == ["ERROR"]


def test_a_right_that_is_missing_is_waited_for_and_said(spool, line, folder, run, caplog):
    async def scenario():
        line.cut = True
        await say(spool, "one", "two")
        line.refuses = {"one": Forbidden("GRANT the role.")}
        line.cut = False
        await until(lambda: "GRANT the role." in caplog.text)
        await say(spool, "three")
        assert (spool.waiting, await contents(line)) == (3, [])
        line.refuses = {}
        await spool.drained()
        return await contents(line)

    assert run(scenario()) == ["one", "two", "three"]
    assert list(folder.glob("rejected*")) == []


def test_a_failure_nobody_foresaw_is_tried_again(spool, line, run, caplog):
    async def scenario():
        line.cut = True
        await say(spool, "one")
        line.refuses = {"one": RuntimeError("A fault in the code.")}
        line.cut = False
        await until(lambda: "A fault in the code." in caplog.text)
        line.refuses = {}
        await spool.drained()
        return await contents(line)

    assert run(scenario()) == ["one"]


def test_beyond_its_limit_the_spool_refuses_and_goes_on_when_it_is_empty(line, folder, run):
    async def scenario():
        async with SpoolingQuarantine(line, folder, limit=1000) as store:
            line.cut = True
            await say(store, "one")
            with pytest.raises(StoreUnavailable, match=r"does not answer.*limit of 1000 bytes") as raised:
                await say(store, "x" * 1000)
            assert "nothing was recorded" in str(raised.value)
            line.cut = False
            await until(lambda: not files(folder))
            line.cut = True
            await say(store, "two")
        line.cut = False
        async with SpoolingQuarantine(line, folder) as store:
            await store.drained()
        return await contents(line)

    assert run(scenario()) == ["one", "two"]


def test_a_long_queue_lies_in_several_files_and_keeps_its_order(line, folder, run):
    async def scenario():
        async with SpoolingQuarantine(line, folder, file_bytes=500) as store:
            line.cut = True
            await say(store, *(f"text {number}" for number in range(30)))
        assert len(files(folder)) > 3
        line.cut = False
        async with SpoolingQuarantine(line, folder) as store:
            await store.drained()
        return await contents(line)

    assert run(scenario()) == [f"text {number}" for number in range(30)]
    assert files(folder) == []


def test_a_queue_that_many_fill_ends_all_the_same(spool, line, run):
    async def fill(name, stop):
        number = 0
        while not stop.is_set():
            number += 1
            await say(spool, f"{name} {number}")

    async def scenario():
        line.cut = True
        await say(spool, *(f"text {number}" for number in range(200)))
        line.cut = False
        stop = asyncio.Event()
        filling = [asyncio.create_task(fill(name, stop)) for name in "abcdefgh"]
        async with asyncio.timeout(30):
            await spool.drained()
        stop.set()
        await asyncio.gather(*filling)
        await spool.drained()
        return await contents(line)

    kept = run(scenario())
    assert len(set(kept)) == len(kept)
    for name in "abcdefgh":
        mine = [int(text.split()[1]) for text in kept if text.startswith(f"{name} ")]
        assert mine == sorted(mine)


def test_closing_delivers_what_it_can_and_says_what_stays(line, folder, run, caplog):
    async def scenario():
        async with SpoolingQuarantine(line, folder) as store:
            line.cut = True
            await say(store, "one")
            line.cut = False
        assert (await contents(line), files(folder)) == (["one"], [])
        async with SpoolingQuarantine(line, folder) as store:
            line.cut = True
            await say(store, "two")
        return store

    closed = run(scenario())
    assert "1 entries stay in the spool" in caplog.text
    assert len(files(folder)) == 1
    with pytest.raises(StoreUnavailable, match=r"does not answer.*closed"):
        run(say(closed, "three"))


def test_the_file_of_a_living_process_is_left_alone_and_adopted_when_it_is_gone(line, folder, run, monkeypatch):
    monkeypatch.setattr("memsieve.stores.spool.quarantine.LOOK_AGAIN", 0.01)

    async def scenario():
        first, second = SpoolingQuarantine(line, folder), SpoolingQuarantine(line, folder)
        line.cut = True
        async with second:
            async with first:
                await say(first, "one")
                [file] = files(folder)
                before = file.read_bytes()
                await asyncio.sleep(0.05)
                assert (second.waiting, file.read_bytes()) == (0, before)
            await until(lambda: second.waiting)
            line.cut = False
            await second.drained()
        return await contents(line)

    assert run(scenario()) == ["one"]
    assert files(folder) == []


def test_folder_and_files_are_for_their_owner_alone(spool, line, folder, run):
    before = os.umask(0)
    try:
        line.cut = True
        run(say(spool, "one", "two"))
        line.refuses, line.cut = {"one": Conflict("Other.")}, False
        run(spool.drained())
        line.cut = True
        run(say(spool, "three"))
    finally:
        os.umask(before)
    modes = {path.name[:7]: path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())}
    assert modes == {"spool": 0o700, "waiting": 0o600, "rejecte": 0o600}


def test_a_folder_that_cannot_be_used_is_said(line, tmp_path, run):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="spool's folder"):
        run(SpoolingQuarantine(line, tmp_path / "file" / "spool").__aenter__())


def test_a_spool_that_somebody_removed_is_said(spool, line, folder, run):
    line.cut = True
    run(say(spool, "one"))
    for path in files(folder):
        path.unlink()
    folder.rmdir()
    with pytest.raises(StoreUnavailable, match="cannot take the entry either"):
        run(say(spool, "two"))
    line.cut = False
    run(spool.drained())
    assert run(contents(line)) == ["one"]


def test_what_the_disk_did_not_take_is_not_acknowledged_and_not_delivered(spool, line, folder, run, monkeypatch):
    def fail(_descriptor):
        raise OSError(errno.EIO, "Input/output error")

    line.cut = True
    run(say(spool, "one"))
    [file] = files(folder)
    before = file.read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(StoreUnavailable, match=r"does not answer.*Input/output error"):
            run(say(spool, "two"))
    assert file.read_bytes() == before
    run(say(spool, "three"))
    line.cut = False
    run(spool.drained())
    assert run(contents(line)) == ["one", "three"]


def test_the_disk_is_waited_for_beside_the_event_loop_and_once_for_many(spool, line, run, monkeypatch):
    fsync, threads = os.fsync, []

    def noted(descriptor):
        threads.append(threading.current_thread())
        fsync(descriptor)

    async def scenario():
        line.cut = True
        await say(spool, "one")
        monkeypatch.setattr(os, "fsync", noted)
        await asyncio.gather(*(say(spool, f"text {number}") for number in range(50)))

    run(scenario())
    assert spool.waiting == 51
    assert 1 <= len(threads) < 10
    assert threading.main_thread() not in threads


def test_a_caller_who_goes_away_leaves_the_spool_in_order(spool, line, run):
    async def scenario():
        line.cut = True
        calls = [asyncio.create_task(say(spool, f"text {number}")) for number in range(5)]
        await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        line.cut = False
        await spool.drained()
        return await contents(line)

    kept = run(scenario())
    assert {"text 1", "text 3"} <= set(kept)
    assert kept == sorted(set(kept))


HOSTILE = ["a\nb\r\n", '"],[]\\', "\u2028\u2029\x85", "𝔘💥é", "\u0644\u200f\u202e", "]\n[", "\x01\x1f\x7f", "x" * 65536]


@pytest.mark.parametrize("content", HOSTILE)
def test_hostile_content_is_delivered_as_it_was_said(spool, line, run, content):
    said = entry(
        content,
        agent_id='a"',
        node_id="数据",
        confidence=0.1 + 0.2,
        metadata={content[:50]: [1, 2.5, None, True, {"\n": "\\"}]},
        created_at=NOW + timedelta(microseconds=123_457),
    )

    async def scenario():
        line.cut = True
        await spool.add(agent(), said, "k")
        line.cut = False
        await spool.drained()
        return await line.get(person(), said.id)

    assert run(scenario()).entry == said


def test_text_that_no_store_can_keep_is_refused_before_it_waits(spool, line, run):
    line.cut = True
    with pytest.raises(InvalidInput, match="Unicode"):
        run(say(spool, "lone \ud800"))
    assert spool.waiting == 0


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=10)
moments = st.builds(
    lambda microseconds, zone: datetime.fromtimestamp(0, zone) + timedelta(microseconds=microseconds),
    st.integers(0, 10**16),
    st.sampled_from([UTC, timezone(timedelta(hours=5.5))]),
)


@given(content=text, name=names, at=moments, key=st.none() | names, confidence=st.none() | st.floats(0, 1))
def test_a_line_gives_back_what_was_put_into_it(content, name, at, key, confidence):
    said = SpooledEntry(
        scope=agent(),
        entry=entry("x", id=name, confidence=confidence, metadata={content: content}),
        idempotency_key=key,
    )
    said = replace(said, entry=replace(said.entry, content=content, created_at=at))
    packed = pack(said.document())
    assert packed.count(b"\n") == 1
    assert unpack(packed[:-1]) == said


@given(place=st.integers(0, 10_000), flip=st.integers(1, 255))
def test_a_line_with_any_byte_changed_is_known_as_damaged(place, flip):
    packed = bytearray(pack(SpooledEntry(scope=agent(), entry=entry("one"), idempotency_key=None).document())[:-1])
    packed[place % len(packed)] ^= flip
    with pytest.raises(StoreCorrupt):
        unpack(bytes(packed))


STEPS = st.lists(
    st.sampled_from(["say", "say", "say", "burst", "cut", "mend", "lose an answer", "wait", "restart", "crash"]),
    max_size=30,
)


async def play(steps, folder):
    """Act out a history; return what was acknowledged, in turns, and what was delivered."""
    turns = []
    async with opened_line(folder / "memory") as line:
        store = await SpoolingQuarantine(line, folder / "spool", file_bytes=600).__aenter__()
        for number, step in enumerate(steps):
            if step in ("say", "burst"):
                turn = [f"{number}.{part}" for part in range(1 if step == "say" else 4)]
                await asyncio.gather(*(say(store, content) for content in turn))
                turns.append(turn)
            elif step == "lose an answer":
                line.lost_answers += 1
            elif step == "wait":
                await asyncio.sleep(0.004)
            elif step in ("restart", "crash"):
                await (crash(store) if step == "crash" else store.__aexit__(None, None, None))
                store = await SpoolingQuarantine(line, folder / "spool", file_bytes=600).__aenter__()
            else:
                line.cut = step == "cut"
        line.cut = False
        await store.drained()
        await store.__aexit__(None, None, None)
        return turns, await contents(line)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_whatever_happens_what_was_acknowledged_is_delivered_once_and_in_order(steps):
    with TemporaryDirectory() as folder:
        turns, delivered = asyncio.run(play(steps, Path(folder)))
        assert list((Path(folder) / "spool").iterdir()) == []
    for turn in turns:
        assert sorted(delivered[: len(turn)]) == turn
        del delivered[: len(turn)]
    assert delivered == []
