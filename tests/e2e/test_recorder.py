"""What all frameworks share: record and recall from wherever an agent runs, and lose nothing in silence."""

import asyncio
import gc
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memsieve.client import AsyncClient, Client
from memsieve.errors import ConfigError, InvalidInput, StoreUnavailable
from memsieve.integrations import Failure, Recorder
from memsieve.integrations import recorder as module
from memsieve.memory import AsyncMemory, Memory
from memsieve.model import Decision
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.testing import WordEmbedder
from memsieve.testing.server import wait_until

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXT = "Service alpha of region beta answers to team gamma about matter delta."
OTHER = "The office in Berlin moves to the new building by the river in the second week of May."


def said(project):
    return [receipt.entry.content for receipt in reversed(project.review(by="ada@example.org").log())]


async def down(*_args):
    raise StoreUnavailable("The disk is full.")


@pytest.fixture
def project(memory: Memory):
    return memory.project("apollo")


@pytest.fixture
def impatient(monkeypatch):
    """Let what waits be tried again at once."""
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.0)


# From wherever an agent runs


def test_what_is_recorded_is_there_with_all_that_is_told_of_it(project):
    with Recorder(project, session_id="s1", agent_id="cfo") as recorder:
        receipt = recorder.record(TEXT, node_id="finance", confidence=0.9, metadata={"turn": 3})
    entry = project.review(by="ada@example.org").entry(receipt.entry.id).entry
    assert (entry.content, entry.session_id, entry.agent_id, entry.node_id) == (TEXT, "s1", "cfo", "finance")
    assert (entry.confidence, entry.metadata) == (0.9, {"turn": 3})


def test_a_synchronous_project_serves_asynchronous_agents(project):
    async def scenario():
        async with Recorder(project, session_id="s1") as recorder:
            await asyncio.gather(recorder.arecord(TEXT), recorder.arecord(OTHER))
            return await recorder.acontext("Which office moves?")

    asyncio.run(scenario())
    assert sorted(said(project)) == sorted([TEXT, OTHER])


def test_an_asynchronous_project_serves_threads_and_other_loops(data, clock):
    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            recorder = Recorder(memory.project("apollo"), session_id="s1")
            await recorder.arecord("Said on the memory's own loop.")
            await asyncio.to_thread(recorder.record, "Said in a thread without a loop.")
            await asyncio.to_thread(asyncio.run, recorder.arecord("Said on another loop."))
            return [
                receipt.entry.content
                for receipt in reversed(await memory.project("apollo").review(by="ada@example.org").log())
            ]

    assert asyncio.run(scenario()) == [
        "Said on the memory's own loop.",
        "Said in a thread without a loop.",
        "Said on another loop.",
    ]


def test_a_call_that_would_block_its_own_loop_is_kept_and_told_of(data, clock):
    async def scenario():
        async with AsyncMemory.open(data, clock=clock) as memory:
            recorder = Recorder(memory.project("apollo"), session_id="s1")
            assert recorder.record(TEXT) is None
            assert "own event loop" in str(recorder.failures[0].error)
            await recorder.aclose()
            return [
                receipt.entry.content for receipt in await memory.project("apollo").review(by="ada@example.org").log()
            ]

    assert asyncio.run(scenario()) == [TEXT]


def test_an_asynchronous_project_outside_of_its_loop_says_what_to_do(data, run):
    async def project():
        async with AsyncMemory.open(data) as memory:
            return memory.project("apollo")

    recorder = Recorder(run(project()), session_id="s1", on_failure="stop")
    with pytest.raises(ConfigError, match="Make the recorder inside of it"):
        recorder.record(TEXT)


def test_a_server_records_and_recalls(serve_here):
    server = serve_here()
    with Client(server.url) as client:
        with Recorder(client.project("apollo"), session_id="s1") as recorder:
            receipt = recorder.record(OTHER, node_id="facilities", confidence=0.95)
            assert receipt.admission.decision is Decision.PENDING
        project = client.project("apollo")
        wait_until(lambda: project.admission(receipt.entry.id).admitted)
        with Recorder(client.project("apollo"), session_id="s2") as later:
            assert OTHER in later.context("Where does the Berlin office move?")

        async def scenario():
            async with AsyncClient(server.url) as other:
                return await Recorder(other.project("apollo"), session_id="s3").acontext("Where does Berlin move?")

        assert OTHER in asyncio.run(scenario())


def test_the_caller_waits_for_no_model(project, monkeypatch):
    waiting = threading.Event()

    async def embed(*_args):
        await asyncio.to_thread(waiting.wait, 30)
        return [None]

    monkeypatch.setattr(WordEmbedder, "embed", embed)
    recorder = Recorder(project, session_id="s1")
    receipt = recorder.record(TEXT)
    assert said(project) == [TEXT]
    assert receipt.admission.decision is Decision.PENDING
    waiting.set()


def test_a_caller_who_goes_away_tears_nothing_apart(project, monkeypatch):
    add, begun = SqliteQuarantine.add, threading.Event()

    async def slowly(*args):
        begun.set()
        await asyncio.sleep(0.05)
        return await add(*args)

    monkeypatch.setattr(SqliteQuarantine, "add", slowly)

    async def scenario():
        task = asyncio.create_task(Recorder(project, session_id="s1").arecord(TEXT))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(scenario())
    wait_until(lambda: said(project) == [TEXT])


def test_what_fails_after_its_caller_went_away_waits_all_the_same(project, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    async def slowly_down(*_args):
        begun.set()
        await asyncio.to_thread(go_on.wait)
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(SqliteQuarantine, "add", slowly_down)
    recorder = Recorder(project, session_id="s1", max_bytes=40)

    async def scenario():
        task = asyncio.create_task(recorder.arecord(TEXT))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        await asyncio.wait([task])
        go_on.set()

    asyncio.run(scenario())
    wait_until(lambda: "".join(one.text for one in recorder.waiting) == TEXT)
    assert len(recorder.failures) > 1
    monkeypatch.undo()
    recorder.close()
    assert "".join(said(project)) == TEXT


def test_what_the_end_of_an_event_loop_cuts_off_is_told_of(data):
    recorders = []

    async def scenario():
        async with AsyncMemory.open(data) as memory:
            recorder = Recorder(memory.project("apollo"), session_id="s1")
            recorders.append(recorder)
            task = asyncio.create_task(recorder.arecord(TEXT))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            for one in asyncio.all_tasks() - {asyncio.current_task()}:
                one.cancel()
            await asyncio.wait([task])
            await asyncio.sleep(0)

    asyncio.run(scenario())
    assert [one.text for one in recorders[0].waiting] == [TEXT]


def test_many_threads_lose_nothing(project):
    recorder = Recorder(project, session_id="s1")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(recorder.record, (f"Line {number} of what was said." for number in range(200))))
    assert len({receipt.entry.content for receipt in project.review(by="ada@example.org").log(_all())}) == 200


# What cannot be kept as it is


def test_the_same_key_is_stored_once(project):
    recorder = Recorder(project, session_id="s1")
    ids = {recorder.record(TEXT, key="run 7, 第三").entry.id for _ in range(3)}
    assert len(ids) == 1
    assert said(project) == [TEXT]


def test_a_long_text_is_recorded_in_parts_and_nothing_of_it_is_lost(project):
    text = "".join(f"第 {number} 行 of a very long report.\n" for number in range(5000))
    Recorder(project, session_id="s1").record(text, metadata={"turn": 1})
    receipts = project.review(by="ada@example.org").log()[::-1]
    assert "".join(receipt.entry.content for receipt in receipts) == text
    assert [receipt.entry.metadata for receipt in receipts] == [
        {"turn": 1, "part": number, "parts": len(receipts)} for number in range(1, len(receipts) + 1)
    ]


def test_what_no_store_keeps_is_mended(project):
    recorder = Recorder(project, session_id="s1", on_failure="stop")
    recorder.record(
        "half \ud800 and \0 nothing", node_id="no\u202ede\n" + "x" * 200, metadata={"at": object(), "n": float("nan")}
    )
    [receipt] = project.review(by="ada@example.org").log()
    assert receipt.entry.content == "half \ufffd and \ufffd nothing"
    assert receipt.entry.node_id == "node" + "x" * 124
    assert receipt.entry.metadata["n"] == "nan"


def test_a_confidence_that_is_none_loses_no_text(project):
    Recorder(project, session_id="s1", on_failure="stop").record(TEXT, confidence=7)
    [receipt] = project.review(by="ada@example.org").log()
    assert (receipt.entry.confidence, receipt.entry.metadata) == (None, {"confidence": "7"})


def test_who_makes_a_mistake_is_told(project):
    with pytest.raises(InvalidInput, match="No session is named"):
        Recorder(project).record(TEXT)
    with pytest.raises(InvalidInput, match="not dict"):
        Recorder(project, session_id="s1").record({"answer": TEXT})
    with pytest.raises(ConfigError, match="is no project"):
        Recorder("apollo", session_id="s1")
    with pytest.raises(InvalidInput, match="go_on, stop"):
        Recorder(project, session_id="s1", on_failure="ignore")


# A memsieve that is down


def test_the_agent_goes_on_and_what_was_said_is_recorded_later_in_order(project, monkeypatch, caplog, impatient):
    told: list[Failure] = []
    recorder = Recorder(project, session_id="s1", on_error=told.append)
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        assert recorder.record("First of three.") is None
        assert recorder.record("Second of three.") is None
    assert [one.text for one in recorder.waiting] == ["First of three.", "Second of three."]
    assert [one.request.text for one in told] == ["First of three.", "Second of three."]
    assert caplog.text.count("not recorded yet, and tried again") == 2
    assert recorder.record("Third of three.") is not None
    assert said(project) == ["First of three.", "Second of three.", "Third of three."]
    assert recorder.waiting == ()
    assert not recorder.lost


def test_what_waits_is_recorded_when_the_recorder_is_closed(project, monkeypatch):
    with Recorder(project, session_id="s1") as recorder, monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        recorder.record(TEXT)
    assert said(project) == [TEXT]


def test_what_is_never_recorded_is_lost_loudly(project, monkeypatch, caplog):
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    with Recorder(project, session_id="s1") as recorder:
        recorder.record(TEXT)
    assert [one.text for one in recorder.lost] == [TEXT]
    assert recorder.failures[-1].lost
    assert [one.levelno for one in caplog.records if "lost to memory" in one.message] == [logging.ERROR]


def test_only_so_much_is_kept_and_the_rest_is_told_of(project, monkeypatch):
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    recorder = Recorder(project, session_id="s1", most_kept=3)
    for number in range(5):
        recorder.record(f"Line {number} of what was said.")
    assert [one.text[5] for one in recorder.waiting] == ["2", "3", "4"]
    assert [one.text[5] for one in recorder.lost] == ["0", "1"]
    recorder.close()


def test_a_memsieve_that_is_down_is_not_asked_at_every_word(project, monkeypatch):
    asked = []

    async def count(*args):
        asked.append(args)
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(SqliteQuarantine, "add", count)
    recorder = Recorder(project, session_id="s1")
    for number in range(50):
        recorder.record(f"Line {number} of what was said.")
    assert len(asked) == 1
    assert len(recorder.waiting) == 50
    recorder.close()


def test_a_memsieve_that_hangs_holds_the_agent_up_for_so_long_only(project, monkeypatch):
    async def hang(*_args):
        await asyncio.Event().wait()

    monkeypatch.setattr(SqliteQuarantine, "add", hang)
    recorder = Recorder(project, session_id="s1", seconds=0.05)
    assert recorder.record(TEXT) is None
    assert "within 0.05 seconds" in str(recorder.failures[0].error)
    recorder.close()


def test_who_wants_to_stop_is_stopped(project, monkeypatch):
    told = []
    recorder = Recorder(project, session_id="s1", on_failure="stop", on_error=told.append)
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        with pytest.raises(StoreUnavailable, match="disk is full"):
            recorder.record(TEXT)
        with pytest.raises(StoreUnavailable, match="disk is full"):
            asyncio.run(recorder.arecord(TEXT))
    assert [one.lost for one in told] == [True, True]
    assert recorder.record(OTHER) is not None


def test_a_text_that_is_refused_is_lost_loudly_and_holds_up_no_other(project):
    recorder = Recorder(project, session_id="s1")
    recorder.record(" \n ")
    assert [one.lost for one in recorder.failures] == [True]
    recorder.record(TEXT)
    assert said(project) == [TEXT]


def test_a_closed_memory_is_told_of_too(open_memory):
    with open_memory() as memory:
        recorder = Recorder(memory.project("apollo"), session_id="s1")
    assert recorder.record(TEXT) is None
    assert [one.text for one in recorder.waiting] == [TEXT]
    recorder.close()
    assert [one.text for one in recorder.lost] == [TEXT]


def test_a_recorder_that_nobody_closed_tells_of_what_it_held(project, monkeypatch, caplog):
    monkeypatch.setattr(SqliteQuarantine, "add", down)
    recorder = Recorder(project, session_id="s1")
    recorder.record(TEXT)
    del recorder
    gc.collect()
    assert "1 texts were never recorded" in caplog.text


def test_a_callback_that_fails_takes_nothing_with_it(project, monkeypatch, caplog):
    def fail(_failure):
        raise ZeroDivisionError

    recorder = Recorder(project, session_id="s1", on_error=fail)
    with monkeypatch.context() as broken:
        broken.setattr(SqliteQuarantine, "add", down)
        recorder.record(TEXT)
    recorder.close()
    assert said(project) == [TEXT]
    assert "ZeroDivisionError" in caplog.text


def test_a_context_that_cannot_be_had_says_so_in_the_prompt(open_memory):
    with open_memory() as memory:
        recorder = Recorder(memory.project("apollo"), session_id="s1")
        stops = Recorder(memory.project("apollo"), session_id="s1", on_failure="stop")
    assert "Memory could not be asked" in recorder.context("Which office moves?")
    assert "Memory could not be asked" in asyncio.run(recorder.acontext("Which office moves?"))
    assert [one.query for one in recorder.failures] == ["Which office moves?"] * 2
    with pytest.raises(StoreUnavailable):
        stops.context("Which office moves?")


def _all():
    from memsieve.model import EntryFilter

    return EntryFilter(limit=1000)
