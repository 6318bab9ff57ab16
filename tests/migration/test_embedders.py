"""A memory of the first bundled model goes on with the one that reads Chinese, too."""

import re
import sqlite3
from contextlib import closing

import pytest
from tests.migration.conftest import set_back

from memsieve.config import Settings
from memsieve.errors import EmbedderError
from memsieve.jobs.reembed import Reembedding
from memsieve.memory import Memory
from memsieve.model import EntryFilter, Scope
from memsieve.stores.sqlite.migrate import migrate, released
from memsieve.testing import WordEmbedder

FIRST, SECOND = "all-MiniLM-L6-v2-int8", "all-MiniLM-L6-v2-zh-int8"
TABLES = ("quarantine_logs", "working", "memories", "tombstones")
# What is said, what is kept, and what is kept and then retired.
ENGLISH = (
    "The ledger is kept in PostgreSQL, because it needs real transactions.",
    "The office of the board stays closed on Mondays.",
    "Nobody drives the red van at night.",
)
ACCENTED = (
    "Visitors of the café use the side door, since the façade is being painted this week.",
    "José reads every résumé that comes in.",
    "A crème brûlée costs nine dollars.",
)
CHINESE = (
    "账本保存在数据库里，因为它需要真正的事务，而且每一笔都必须可以追溯到原来的凭证。",
    "董事会的办公室每逢星期一关闭。",
    "夜里谁也不准开那辆红色的货车。",
)
UNDECIDED = "The log of the harbour is kept for ten years, and nobody may delete a line of it."


class First(WordEmbedder):
    name = FIRST


class Second(WordEmbedder):
    """Takes each Chinese character for a word."""

    name = SECOND

    def vector(self, text):
        return super().vector(re.sub(r"[\u4e00-\u9fff]", lambda found: f" u{ord(found[0])} ", text))


async def fail(_texts):
    raise EmbedderError("The model is not there.")


@pytest.fixture
def of_first_model(data, monkeypatch):
    """Write a memory as the first release did: its schema, its model, and no embedder beside what it could not read."""
    embedder, [first, *_] = First(), released()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: embedder)
    with Memory.open(data, settings=Settings()) as memory:
        project = memory.project("apollo")
        for said, kept, retired in (ENGLISH, ACCENTED, CHINESE):
            assert project.record(said, session_id="s", confidence=0.9).admission.admitted
            project.review(by="ada").promote_text(kept)
            project.review(by="ada").retire(project.review(by="ada").promote_text(retired).id, reason="wrong")
        embedder.embed = fail
        project.record(UNDECIDED, session_id="s", confidence=0.9)
    set_back(data, [first])
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as connection:
        connection.execute("UPDATE quarantine_logs SET embedder = NULL WHERE embedding IS NULL")
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: Second())
    return data


def embedders(connection):
    return {
        (table, content): embedder
        for table in TABLES
        for content, embedder in connection.execute(f"SELECT content, embedder FROM {table}")
    }


def rest(connection):
    """Return all that a row holds beside the embedder's name."""
    connection.row_factory = sqlite3.Row
    tables = (*TABLES, "approvals", "retirements", "audit_log", "admissions")
    rows = {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in tables}
    connection.row_factory = None
    return {table: [{**row, "embedder": None} for row in rows[table]] for table in tables}


def test_vectors_of_plain_ascii_take_the_new_name_and_nothing_else_changes(of_first_model):
    with closing(sqlite3.connect(of_first_model / "memsieve.db", isolation_level=None)) as connection:
        names, before = embedders(connection), rest(connection)
        assert {name for (_, content), name in names.items() if content.isascii()} == {FIRST, None}
        migrate(connection)
        after = rest(connection)
        for table, rows in before.items():
            assert [{name: row[name] for name in old} for old, row in zip(rows, after[table], strict=True)] == rows
        for (table, content), name in embedders(connection).items():
            undecided = content == UNDECIDED
            assert name == (None if undecided else SECOND if content.isascii() else FIRST), (table, content)


def test_an_english_memory_keeps_its_vectors_at_once(of_first_model):
    with Memory.open(of_first_model, settings=Settings()) as memory:
        project = memory.project("apollo")
        vectors = {one.content: one.embedding for one in project.working()}
        assert vectors[ENGLISH[0]] @ Second().vector(ENGLISH[0]) == pytest.approx(1, abs=1e-3)
        assert (vectors[ACCENTED[0]], vectors[CHINESE[0]]) == (None, None)
        [found] = search(memory, ENGLISH[1])
        assert (found.content, found.similarity) == (ENGLISH[1], pytest.approx(1, abs=1e-3))


def test_chinese_is_found_by_vector_after_its_vectors_were_made(of_first_model):
    with Memory.open(of_first_model, settings=Settings()) as memory:
        assert CHINESE[1] not in [hit.content for hit in search(memory, CHINESE[1])]
        # The accented and the Chinese: said, worked with, kept twice, buried once.
        assert memory.reembed() == Reembedding(embedder=SECOND, embedded=10)
        project = memory.project("apollo")
        assert all(one.embedding is not None for one in project.working())
        [found] = search(memory, CHINESE[1])
        assert (found.content, found.similarity) == (CHINESE[1], pytest.approx(1, abs=1e-3))
        assert project.review(by="ada@example.org").verify_audit().whole
        undecided = [
            one for one in project.review(by="ada@example.org").log(EntryFilter()) if one.entry.content == UNDECIDED
        ]
        assert [one.entry.embedding for one in undecided] == [None]
        [decided] = memory.maintenance("apollo").retry()
        assert decided.admission.admitted


def search(memory, text):
    """Search long-term memory by the vector of a text alone."""
    longterm = memory.inner.services.longterm
    return memory.loop.call(longterm.search(Scope.agent("apollo"), Second().vector(text), [], 1))


def test_vectors_of_any_other_model_keep_their_name(of_first_model):
    with closing(sqlite3.connect(of_first_model / "memsieve.db", isolation_level=None)) as connection:
        for table in TABLES:
            connection.execute(f"UPDATE {table} SET embedder = 'text-embedding-3-small' WHERE embedder IS NOT NULL")
        before = {place: name for place, name in embedders(connection).items() if name is not None}
        migrate(connection)
        assert before.items() <= embedders(connection).items()


def test_what_another_embedder_has_seen_is_found_by_an_index(of_first_model):
    with closing(sqlite3.connect(of_first_model / "memsieve.db", isolation_level=None)) as connection:
        migrate(connection)
        for table in TABLES:
            plan = connection.execute(
                f"EXPLAIN QUERY PLAN SELECT content FROM {table} WHERE embedder = 'x' AND sequence < 5"
            ).fetchall()
            assert f"{table}_by_embedder" in plan[0][3]
