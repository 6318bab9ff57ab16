"""After a change of embedder the vectors of the former one are made again, in the background or on command."""

import asyncio
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from datetime import timedelta
from functools import partial

import pytest

from memsieve.config import Settings
from memsieve.embedded import EmbeddedProject
from memsieve.errors import EmbedderError
from memsieve.jobs import schedule
from memsieve.jobs.reembed import BATCH, Reembedding
from memsieve.memory import Memory
from memsieve.model import Scope
from memsieve.services.container import open_services
from memsieve.testing import WordEmbedder

ENGLISH = "The ledger is kept in PostgreSQL, because it needs real transactions."
CHINESE = "账本保存在数据库里，因为它需要真正的事务。"
SOON = timedelta(milliseconds=10)


class Bilingual(WordEmbedder):
    """Takes each Chinese character for a word, and keeps count of what it was asked."""

    name = "bilingual"

    def __init__(self):
        self.asked = []

    async def embed(self, texts):
        self.asked += texts
        return await super().embed(texts)

    def vector(self, text):
        return super().vector(re.sub(r"[\u4e00-\u9fff]", lambda found: f" u{ord(found[0])} ", text))


@pytest.fixture
def bilingual(monkeypatch):
    """Change the embedder: from now on memories are opened with the other one."""

    def change():
        embedder = Bilingual()
        monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: embedder)
        return embedder

    return change


def failing_after(embed, count):
    async def fail(texts):
        nonlocal count
        count -= 1
        if count < 0:
            raise EmbedderError("The model is not there.")
        return await embed(texts)

    return fail


def fill(data, count=0):
    """Fill every tier in the name of the small embedder, which reads no Chinese."""
    with Memory.open(data, settings=Settings()) as memory:
        project = memory.project("apollo")
        for text in (ENGLISH, CHINESE):
            project.review(by="ada").promote_text(text)
            gone = project.review(by="ada").promote_text(f"{text} {text}")
            project.review(by="ada").retire(gone.id, reason="wrong")
        for number in range(count):
            text = f"Node b{number} keeps backups in rack a{number} of hall c{number}, and team d{number} owns it."
            assert project.record(text, session_id="s", confidence=0.9).admission.admitted


def embedders(data):
    """Count the texts of all tiers by the embedder that saw them."""
    tables = ("quarantine_logs", "working", "memories", "tombstones")
    with closing(sqlite3.connect(data / "memsieve.db")) as connection:
        return Counter(name for table in tables for (name,) in connection.execute(f"SELECT embedder FROM {table}"))


async def until_done(opened):
    while await opened.reembedder.vectors.stale():  # noqa: ASYNC110 - what does it is another task of memsieve's own
        await asyncio.sleep(0.02)


def test_chinese_is_found_by_vector_after_the_embedder_learnt_it(data, small_embedder, bilingual):
    fill(data)
    bilingual()
    with Memory.open(data, settings=Settings()) as memory:
        longterm = memory.inner.services.longterm
        scope = Scope.agent("apollo")

        def similarity():
            return [
                hit.similarity
                for hit in memory.loop.call(longterm.search(scope, Bilingual().vector(CHINESE), [], 1))
                if hit.content == CHINESE
            ]

        assert similarity() == []
        assert memory.reembed() == Reembedding(embedder="bilingual", embedded=6)
        assert similarity() == [pytest.approx(1, abs=1e-3)]
        assert memory.project("apollo").review(by="ada@example.org").verify_audit().whole


def test_the_command_is_told_how_far_it_is_and_the_second_time_there_is_nothing_to_do(data, small_embedder, bilingual):
    fill(data, count=2 * BATCH)
    bilingual()
    told = []
    with Memory.open(data, settings=Settings()) as memory:
        done = memory.reembed(lambda *progress: told.append(progress))
        assert memory.reembed() == Reembedding(embedder="bilingual")
    total = done.embedded
    assert told == [(at, total) for at in range(BATCH, total, BATCH)] + [(total, total)]
    assert embedders(data).keys() == {"bilingual"}


def test_what_was_done_before_a_failure_stays_and_is_not_done_again(data, small_embedder, bilingual, monkeypatch):
    fill(data, count=2 * BATCH)
    embedder = bilingual()
    with Memory.open(data, settings=Settings()) as memory:
        with monkeypatch.context() as broken:
            broken.setattr(embedder, "embed", failing_after(embedder.embed, 1))
            with pytest.raises(EmbedderError):
                memory.reembed()
        assert len(embedder.asked) == BATCH
        assert embedders(data).keys() == {"words", "bilingual"}
    with Memory.open(data, settings=Settings()) as memory:
        rest = memory.reembed().embedded
        assert len(embedder.asked) == BATCH + rest
        assert embedders(data).keys() == {"bilingual"}


def test_a_failure_at_the_start_leaves_everything_as_it_was(data, small_embedder, bilingual, monkeypatch):
    fill(data)
    embedder = bilingual()
    monkeypatch.setattr(embedder, "embed", failing_after(embedder.embed, 0))
    with Memory.open(data, settings=Settings()) as memory, pytest.raises(EmbedderError):
        memory.reembed()
    assert embedders(data).keys() == {"words"}


def test_a_text_that_cannot_be_read_is_not_tried_a_second_time(data, small_embedder, bilingual, monkeypatch):
    fill(data)
    bilingual()
    with Memory.open(data, settings=Settings()) as memory:
        memory.reembed()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: small_embedder)
    with Memory.open(data, settings=Settings()) as memory:
        # Back to the one that reads no Chinese: two memories, one of them retired, and its tombstone.
        assert memory.reembed() == Reembedding(embedder="words", embedded=3, unreadable=3)
        assert memory.reembed() == Reembedding(embedder="words")


def test_an_entry_deleted_and_one_recorded_while_vectors_are_made(data, small_embedder, bilingual, monkeypatch):
    fill(data, count=3)
    embedder = bilingual()
    embed = embedder.embed

    async def scenario():
        async with open_services(Settings(data=data)) as opened:
            project = EmbeddedProject(opened, "apollo")
            newest, *_ = await project.review(by="ada@example.org").log()

            async def embed_late(texts):
                monkeypatch.setattr(embedder, "embed", embed)
                await project.review(by="ada").delete(newest.entry.id, reason="private")
                await project.record("Something else was said by somebody else meanwhile.", session_id="s")
                return await embed(texts)

            monkeypatch.setattr(embedder, "embed", embed_late)
            done = await opened.reembedder.run()
            left = {
                one.entry.id: one.entry.embedding is not None
                for one in await project.review(by="ada@example.org").log()
            }
            return newest.entry.id, done, left, await opened.reembedder.vectors.stale()

    deleted, done, left, stale = asyncio.run(scenario())
    assert deleted not in left
    # Six in long-term memory and its tombstones, two each in working memory and in quarantine.
    assert done == Reembedding(embedder="bilingual", embedded=10)
    assert [*left.values()] == [True] * 3
    assert stale == 0


def test_it_goes_by_itself_while_a_memory_is_open_and_after_a_failure_it_is_tried_again(
    data, small_embedder, bilingual, monkeypatch
):
    fill(data, count=2 * BATCH)
    total = embedders(data)["words"]
    embedder = bilingual()
    embed = embedder.embed
    failed = asyncio.Event()

    async def embed_badly(texts):
        monkeypatch.setattr(embedder, "embed", embed)
        failed.set()
        raise EmbedderError("The model is not there.")

    async def scenario():
        async with open_services(Settings(data=data), jobs=False) as opened:
            monkeypatch.setattr(embedder, "embed", embed_badly)
            async with schedule.reembedding(opened.reembedder, SOON, SOON):
                await asyncio.wait_for(until_done(opened), timeout=30)

    asyncio.run(scenario())
    assert failed.is_set()
    assert embedders(data) == {"bilingual": total}
    assert len(embedder.asked) == total


def test_every_open_memory_has_it_going(data, small_embedder, bilingual, monkeypatch):
    fill(data)
    bilingual()
    monkeypatch.setattr(schedule, "reembedding", partial(schedule.reembedding, after=SOON))

    async def scenario():
        async with open_services(Settings(data=data)) as opened:
            await asyncio.wait_for(until_done(opened), timeout=30)

    asyncio.run(scenario())
    assert embedders(data).keys() == {"bilingual"}


def test_a_memory_closes_in_the_midst_of_it_and_the_next_goes_on(data, small_embedder, bilingual, monkeypatch):
    fill(data, count=2 * BATCH)
    embedder = bilingual()
    embed = embedder.embed
    hanging = asyncio.Event()

    async def hang_at_the_second(texts):
        if embedder.asked:
            hanging.set()
            await asyncio.Event().wait()
        return await embed(texts)

    async def interrupted():
        async with open_services(Settings(data=data), jobs=False) as opened:
            monkeypatch.setattr(embedder, "embed", hang_at_the_second)
            async with schedule.reembedding(opened.reembedder, SOON, SOON):
                await asyncio.wait_for(hanging.wait(), timeout=30)

    asyncio.run(interrupted())
    assert embedders(data).keys() == {"words", "bilingual"}
    monkeypatch.setattr(embedder, "embed", embed)
    with Memory.open(data, settings=Settings()) as memory:
        done = memory.reembed()
    assert len(embedder.asked) == BATCH + done.embedded
    assert embedders(data).keys() == {"bilingual"}


def test_who_comes_second_to_a_batch_leaves_the_rest_to_the_first(data, small_embedder, bilingual, monkeypatch):
    fill(data, count=2 * BATCH)
    embedder = bilingual()
    embed = embedder.embed

    async def scenario():
        async with open_services(Settings(data=data)) as first, open_services(Settings(data=data)) as second:

            async def embed_late(texts):
                monkeypatch.setattr(embedder, "embed", embed)
                await first.reembedder.run()
                return await embed(texts)

            monkeypatch.setattr(embedder, "embed", embed_late)
            return await second.reembedder.run_beside(), await second.reembedder.run_beside()

    assert asyncio.run(scenario()) == (False, True)
    assert embedders(data).keys() == {"bilingual"}


def test_two_memories_with_different_embedders_do_not_undo_each_other_for_ever(
    data, small_embedder, bilingual, monkeypatch
):
    fill(data, count=BATCH)

    async def scenario():
        async with open_services(Settings(data=data)) as first:
            bilingual()
            async with open_services(Settings(data=data)) as second:
                assert await second.reembedder.run_beside()
                assert await first.reembedder.run_beside()
                assert await second.reembedder.run_beside()
                return await second.reembedder.vectors.stale()

    assert asyncio.run(scenario()) > 0
    assert embedders(data).keys() == {"words"}


CHILD = """
import sys
import memsieve.services.container
import memsieve.services.embedder
from memsieve.config import Settings
from memsieve.memory import Memory
from memsieve.testing import WordEmbedder
WordEmbedder.name = "renamed"
memsieve.services.embedder.choose_embedder = lambda _settings, _stack: WordEmbedder()
with Memory.open(sys.argv[1], settings=Settings()) as memory:
    done = memory.reembed()
    print(done.embedded + done.unreadable)
"""


def test_two_processes_do_it_at_once_and_each_text_counts_once(data, small_embedder):
    fill(data, count=8 * BATCH)
    total = embedders(data)["words"]
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, str(data)], stdout=-1, stderr=-1, text=True) for _ in range(2)
    ]
    outputs = [child.communicate(timeout=60) for child in children]
    assert [error for _, error in outputs] == ["", ""]
    assert sum(int(counted) for counted, _ in outputs) == total
    assert embedders(data).keys() == {"renamed"}
    with Memory.open(data, settings=Settings()) as memory:
        assert memory.project("apollo").review(by="ada@example.org").verify_audit().whole
