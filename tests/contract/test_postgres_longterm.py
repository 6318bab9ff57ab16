"""What PostgreSQL holds of long-term memory beyond the ports: turns between processes, and vectors by embedder."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import numpy as np
import psycopg
import pytest

from memsieve.retrieval.index import SATURATION
from memsieve.stores.postgres import logs
from memsieve.stores.postgres.database import Database
from memsieve.stores.postgres.logs import PostgresAuditLog
from memsieve.stores.postgres.longterm import PostgresLongTerm
from memsieve.stores.postgres.psycopg_internals import decode_term_counts
from memsieve.stores.postgres.rows import array_text
from memsieve.stores.postgres.search.terms import NUMBERS, hash_terms
from memsieve.stores.postgres.search.terms import hash_term as number_of
from memsieve.stores.postgres.vectors import PostgresVectors
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import NOW, agent, approval, chunks, person
from memsieve.testing.server import wait_until
from memsieve.text.tokenize import tokenize


class NothingAtWork:
    """Stands for working memory where there is none."""

    async def stale(self):
        return 0

    async def next_stale(self, _after, _limit):
        return []

    async def put(self, _made):
        return []


@pytest.fixture
def databases(server_engine, run):
    """Several pools of connections, as several processes have."""
    opened = [Database(server_engine.database_url) for _ in range(3)]
    for database in opened:
        run(database.open())
    yield opened
    for database in opened:
        run(database.close())


def longterm(database, embedder="words"):
    return PostgresLongTerm(database, embedder, lambda: NOW)


def keep(run, database, text, project="apollo"):
    yes = approval(text, person(project))
    return run(longterm(database).add(person(project), yes, chunks(yes)))


def similarities(run, database, embedder, text):
    found = run(longterm(database, embedder).search(agent(), WordEmbedder().vector(text), tokenize(text), 5))
    return {hit.content: hit.similarity for hit in found}


def reembed(run, vectors):
    texts = run(vectors.next_stale(None, 100))
    run(vectors.put([(text, WordEmbedder().vector(text.content)) for text in texts]))
    return texts


def rows(server_engine, query):
    with psycopg.connect(server_engine.database_url) as connection:
        return connection.execute(query).fetchall()


def test_fifty_promotions_of_one_entry_at_once_make_one_memory_and_one_audit_line(databases, run):
    said = [approval("The ledger runs on PostgreSQL.", entry_ids=["e1"]) for _ in range(50)]

    async def all_at_once():
        return await asyncio.gather(
            *(longterm(databases[at % 3]).add(person(), yes, chunks(yes)) for at, yes in enumerate(said))
        )

    memories = run(all_at_once())
    assert len({memory.id for memory in memories}) == 1
    assert len(run(longterm(databases[0]).find(person(), None, 100))) == 1
    assert len(run(PostgresAuditLog(databases[0]).events(person()))) == 1


def test_the_former_embedder_goes_on_being_answered_while_another_reads_everything(databases, run):
    for number in range(4):
        keep(run, databases[0], f"alpha {number}")
    before = similarities(run, databases[0], "words", "alpha 1")
    new = PostgresVectors(databases[1], "others", NothingAtWork())
    assert similarities(run, databases[1], "others", "alpha 1") == dict.fromkeys(before)
    assert len(reembed(run, new)) == 4
    assert similarities(run, databases[1], "others", "alpha 1") == before
    assert similarities(run, databases[0], "words", "alpha 1") == before
    assert run(PostgresVectors(databases[0], "words", NothingAtWork()).stale()) == 0


def test_the_vectors_of_a_former_embedder_are_dropped_when_nobody_asks_by_it_any_more(databases, run):
    keep(run, databases[0], "alpha")
    keep(run, databases[0], "alpha", "gemini")
    new = PostgresVectors(databases[0], "others", NothingAtWork())
    reembed(run, new)
    assert run(new.forget("words")) == 2
    assert similarities(run, databases[0], "words", "alpha") == {"alpha": None}
    assert similarities(run, databases[0], "others", "alpha")["alpha"] == pytest.approx(1, abs=1e-3)


def test_a_retired_memory_is_not_embedded_again_and_leaves_nothing_to_search(databases, server_engine, run):
    memory = keep(run, databases[0], "alpha")
    new = PostgresVectors(databases[0], "others", NothingAtWork())
    [text] = run(new.next_stale(None, 5))
    run(longterm(databases[0]).retire(person(), memory.id, "outdated", []))
    assert run(new.stale()) == 0
    run(new.put([(text, WordEmbedder().vector("alpha"))]))
    assert rows(server_engine, "SELECT FROM memory_vectors") == rows(server_engine, "SELECT FROM memory_words") == []
    assert rows(server_engine, "SELECT texts, length FROM project_sizes") == [(0, 0)]
    assert set(rows(server_engine, "SELECT holding FROM word_counts")) == {(0,)}
    assert rows(server_engine, "SELECT vectors FROM vector_sizes") == [(0,)]


def test_a_memory_keeps_its_words_and_its_vector(databases, run):
    yes = approval("数据库采用微服务架构")
    [chunk] = chunks(yes)
    vector = np.full(8, 8**-0.5, np.float32)
    run(longterm(databases[0]).add(person(), yes, [replace(chunk, embedding=vector)]))
    [kept] = run(longterm(databases[1]).get(person(), yes.id)).chunks
    assert kept.words == chunk.words
    assert kept.embedding == pytest.approx(vector, abs=1e-3)


SEARCHED = """
SELECT m.content, m.position, m.embedder, p.promoted_at, w.at, w.chinese, w.length, cardinality(w.words), v.at,
    v.chinese, v.embedding::text
FROM memories m JOIN approvals p ON p.project_id = m.project_id AND p.id = m.approval_id
    JOIN memory_words w ON w.project_id = m.project_id AND w.sequence = m.sequence
    LEFT JOIN memory_vectors v ON v.project_id = m.project_id AND v.sequence = m.sequence
WHERE m.project_id = '{}' ORDER BY p.sequence, m.position
"""
COUNTED = "SELECT holding, count(*) FROM word_counts WHERE project_id = '{}' GROUP BY 1 ORDER BY 1"


def test_an_import_of_many_writes_what_promotions_one_by_one_write(databases, server_engine, run, monkeypatch):
    monkeypatch.setattr("memsieve.stores.postgres.longterm.MANY", 40)
    monkeypatch.setattr(logs, "_CHAINED_AT_ONCE", 30)
    texts = [f"note {number} about alpha alpha and beta" for number in range(90)]
    texts += ["数据库采用微服务架构。" * 60, "…", "Größe, naïve, 𝔘nicode"]

    def approved(project):
        said = [
            approval(text, person(project), NOW + number * timedelta(microseconds=1), [f"e{number}", "e"])
            for number, text in enumerate(texts)
        ]
        unread = replace(chunks(said[0])[0], embedding=None)
        return [(said[0], [unread]), *((yes, chunks(yes)) for yes in said[1:])]

    assert run(longterm(databases[0]).add_all(person("many"), approved("many"))) == len(texts)
    for yes, pieces in approved("single"):
        run(longterm(databases[0]).add(person("single"), yes, pieces))
    for query in (SEARCHED, COUNTED):
        found = rows(server_engine, query.format("many"))
        assert found == rows(server_engine, query.format("single"))
        assert found
    kept = run(longterm(databases[0]).find(person("many"), None, 200))
    assert [(memory.approval.content, memory.approval.entry_ids) for memory in kept] == [
        (text, ("e", f"e{number}")) for number, text in enumerate(texts)
    ]
    assert [event.sequence for event in run(PostgresAuditLog(databases[0]).events(person("many")))] == [
        *range(1, len(texts) + 1)
    ]


@pytest.mark.parametrize("table", [None, "memories", "audit_log"])
def test_an_import_that_is_broken_off_leaves_nothing_and_holds_up_nobody(databases, run, server_engine, table):
    """Break it off at once, or while it waits for a table that another one has locked."""
    said = [approval(f"Ship {number} sails to port {number % 7}.", person()) for number in range(1_000)]
    approved = [(one, chunks(one)) for one in said]

    async def broken_off(waiting):
        task = asyncio.ensure_future(longterm(databases[0]).add_all(person(), approved))
        await asyncio.to_thread(waiting)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with psycopg.connect(server_engine.database_url) as other:
        if table:
            other.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
        run(broken_off(lambda: wait_until(lambda: not table or locked_out(server_engine))))
    assert run(longterm(databases[0]).find(agent(), None, 10)) == []
    assert run(longterm(databases[0]).add_all(person(), approved)) == len(approved)
    assert len(run(longterm(databases[1]).find(agent(), None, 2_000))) == len(approved)


def locked_out(server_engine):
    with psycopg.connect(server_engine.database_url) as connection:
        return connection.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()[0] > 0


def test_each_word_of_a_text_has_its_number_once_and_reaches_as_much_as_it_is_often_there():
    texts = [("a", "b", "a"), (), ("c",), ("b", "c", "b", "b"), ()]
    words, reached, ends = hash_terms("apollo", texts)
    for begin, end, text in zip([0, *ends], ends, texts, strict=False):
        often = {number_of("apollo", word): text.count(word) for word in text}
        assert words[begin:end].tolist() == sorted(often)
        assert reached[begin:end].tolist() == [often[one] / (often[one] + SATURATION) for one in sorted(often)]


@pytest.mark.parametrize("wanted", [("b", "x", "c"), ("x",), ()])
def test_the_database_tells_which_texts_hold_a_wanted_word_and_how_often(server_engine, wanted):
    texts = [("a", "b", "a"), (), ("c",), ("b", "c", "b", "b", *map(str, range(40))), ()]
    sent = [sent_by(server_engine, *hash_terms("apollo", [text])[:2]) for text in texts]
    places = np.array(sorted(number_of("apollo", word) for word in wanted), np.int64)
    held = decode_term_counts(sent, places)
    found = {
        (place, int(places[word]), often) for place, word, often in zip(*map(np.ndarray.tolist, held), strict=True)
    }
    assert found == {
        (place, number_of("apollo", word), text.count(word))
        for place, text in enumerate(texts)
        for word in text
        if word in wanted
    }


def sent_by(server_engine, words, reached):
    """Return words as PostgreSQL sends them."""
    counts = ",".join(f"{word + 1}:{value}" for word, value in zip(words, reached, strict=True))
    [[sent]] = rows(server_engine, f"SELECT sparsevec_send('{{{counts}}}/{NUMBERS}'::sparsevec)")
    return sent


@pytest.mark.parametrize("values", [[], ["a"], ["", "NULL", 'a "b"', "back\\slash", "{x,y}", " ü 舰 ", "two\nlines"]])
def test_an_array_written_as_text_is_read_as_it_was(server_engine, values):
    with psycopg.connect(server_engine.database_url) as connection:
        assert connection.execute("SELECT %s::text[]", (array_text(values),)).fetchone() == (values,)
