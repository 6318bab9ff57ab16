"""How PostgreSQL searches long-term memory: each way by its index, behind the wall of the project, and never short."""

import re
import uuid

import numpy as np
import psycopg
import pytest

from memsieve import doctor
from memsieve.model import Chunk
from memsieve.retrieval.fusion import candidates_per_leg, fused
from memsieve.retrieval.index import Index, Row
from memsieve.review.promote import approve
from memsieve.stores.postgres.database import Database, DbRole
from memsieve.stores.postgres.health import IndexHealth, examine
from memsieve.stores.postgres.longterm import PostgresLongTerm
from memsieve.stores.postgres.search import hnsw, searcher, vector_plan
from memsieve.stores.postgres.search.hnsw import build_indexes, index_name
from memsieve.stores.postgres.search.terms import TermLookup, plan_lookup
from memsieve.stores.postgres.vectors import PostgresVectors
from memsieve.testing.factories import NOW, agent, person
from memsieve.text.tokenize import tokenize

DIMENSIONS = 24
MANY_DIMENSIONS = 128
WORDS = [f"word{number}" for number in range(400)]


def vectors(count, seed=1):
    made = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float16).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def gaussian(count, seed=1):
    """Make vectors of which none is near to another, through which no graph finds its way."""
    made = np.random.default_rng(seed).standard_normal((count, MANY_DIMENSIONS))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)


def clustered(count, seed=1):
    """Make vectors that lie around centres, as those of texts do."""
    random, space = np.random.default_rng(seed), np.random.default_rng(0)
    meant = space.standard_normal((40, 8))[random.integers(40, size=count)] + 0.7 * random.standard_normal((count, 8))
    made = meant @ space.standard_normal((8, MANY_DIMENSIONS))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)


def texts(count, seed=1):
    """Make texts of words that are common, less common and rare, as words are."""
    random = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(WORDS) + 1)
    return [
        " ".join([*random.choice(WORDS, random.integers(3, 20), p=shares / shares.sum()), f"unique{number}"])
        for number in range(count)
    ]


def approved(contents, embeddings, project="apollo"):
    return [
        (
            approve(person(project), content, NOW, (), None),
            [Chunk(id=str(uuid.uuid4()), position=0, content=content, words=tokenize(content), embedding=embedding)],
        )
        for content, embedding in zip(contents, embeddings, strict=True)
    ]


@pytest.fixture
def database(server_engine, run):
    opened = Database(server_engine.database_url)
    run(opened.open())
    yield opened
    run(opened.close())


@pytest.fixture
def longterm(database):
    return PostgresLongTerm(database, "words", lambda: NOW)


@pytest.fixture
def small_switch(monkeypatch):
    """Let projects of more than 50 texts be searched through an index."""
    monkeypatch.setattr(vector_plan, "EXACT_ROWS", 50)
    monkeypatch.setattr(vector_plan, "_TO_BEGIN", 0)
    monkeypatch.setattr(vector_plan, "_EACH_ROW", 0)


@pytest.fixture
def thin_graph(monkeypatch, small_switch):
    """Make graphs that are as thin for hundreds of vectors as the real ones are for tens of thousands."""
    monkeypatch.setattr(hnsw, "_GRAPH", "m = 4, ef_construction = 8")


@pytest.fixture
def superuser(server_engine):
    with psycopg.connect(server_engine.database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def build(server_engine, run):
    return lambda: run(build_indexes(server_engine.database_url, above=50))


@pytest.fixture
def plans(monkeypatch):
    """Collect the plans of all that a search asks."""
    seen = []
    fetch_columns = Database.fetch_columns

    async def explaining(database, role, scope, statement, values, settings):
        found = await fetch_columns(database, role, scope, f"EXPLAIN (COSTS OFF) {statement}", values, settings)
        seen.append("\n".join(found["QUERY PLAN"]))
        return await fetch_columns(database, role, scope, statement, values, settings)

    monkeypatch.setattr(Database, "fetch_columns", explaining)
    return seen


def test_the_ranking_is_that_of_the_index_in_memory(longterm, run):
    contents, embeddings = texts(600), vectors(600)
    run(longterm.add_all(person(), approved(contents, embeddings)))
    rows = [Row(words=tokenize(one), vector=vector, at=NOW) for one, vector in zip(contents, embeddings, strict=True)]
    index = Index(rows)
    for number, question in enumerate(texts(12, seed=2)):
        vector = vectors(12, seed=3)[number]
        hits = run(longterm.search(agent(), vector, tokenize(question), 10))
        matches = sorted(index.search(vector, tokenize(question), candidates_per_leg(10)), key=fused, reverse=True)[:10]
        assert [hit.content for hit in hits] == [contents[match.position] for match in matches]
        assert [hit.word_score for hit in hits] == pytest.approx([match.word_score for match in matches], abs=1e-5)
        assert [hit.similarity for hit in hits] == pytest.approx([match.similarity for match in matches], abs=1e-3)


def test_a_small_project_is_searched_one_by_one(longterm, run, plans):
    run(longterm.add_all(person(), approved(texts(60), vectors(60))))
    run(longterm.search(agent(), vectors(1)[0], tokenize("word1"), 5))
    assert "memory_vectors_near" not in plans[-1]
    assert re.search(r"Sort Key: \(\(memory_vectors.embedding <#>", plans[-1])


@pytest.mark.usefixtures("small_switch")
def test_a_large_project_is_searched_through_the_index_of_its_embedder(server_engine, longterm, run, plans):
    run(longterm.add_all(person(), approved(texts(400), vectors(400))))
    assert run(build_indexes(server_engine.database_url, above=50)) == ["words"]
    run(longterm.search(agent(), vectors(1)[0], (), 5))
    assert f"Index Scan using {index_name('words', DIMENSIONS)}" in plans[-1]


@pytest.mark.usefixtures("small_switch")
def test_the_index_finds_what_comparing_one_by_one_finds(server_engine, longterm, run):
    embeddings = vectors(1500)
    run(longterm.add_all(person(), approved(texts(1500), embeddings)))
    for project in ("gemini", "mercury"):
        run(longterm.add_all(person(project), approved(texts(300), vectors(300, seed=9), project)))
    run(build_indexes(server_engine.database_url, above=50))
    contents, found = texts(1500), 0
    for question in vectors(30, seed=4):
        hits = run(longterm.search(agent(), question, (), 10))
        found += len({hit.content for hit in hits} & {contents[at] for at in np.argsort(-(embeddings @ question))[:10]})
    assert found / 300 >= 0.98


@pytest.mark.usefixtures("small_switch")
def test_a_search_that_the_index_leaves_short_is_done_one_by_one(server_engine, longterm, run, plans, monkeypatch):
    run(longterm.add_all(person(), approved(texts(100), vectors(100))))
    run(longterm.add_all(person("gemini"), approved(texts(900), vectors(900, seed=5), "gemini")))
    run(build_indexes(server_engine.database_url, above=50))
    # An index that goes no further than its first look brings 40 of all projects together.
    monkeypatch.setattr(searcher, "SETTINGS", [*searcher.SETTINGS, ("hnsw.iterative_scan", "off")])
    question = vectors(900, seed=5)[0]
    hits = run(longterm.search(agent(), question, (), 10))
    best = np.argsort(-(vectors(100) @ question))[:10]
    assert [hit.content for hit in hits] == [texts(100)[at] for at in best]
    first = [False, True, False]
    assert ["memory_vectors_near" in plan for plan in plans] == first
    assert run(longterm.search(agent(), question, (), 10)) == hits
    assert ["memory_vectors_near" in plan for plan in plans] == [*first, True, False]


def test_a_project_that_was_searched_before_is_searched_by_one_statement(longterm, run, plans):
    run(longterm.add_all(person(), approved(texts(60), vectors(60))))
    first = run(longterm.search(agent(), vectors(1)[0], tokenize("word1 word2"), 5))
    assert len(plans) == 2
    assert run(longterm.search(agent(), vectors(1)[0], tokenize("word1 word2"), 5)) == first
    assert len(plans) == 3


@pytest.mark.usefixtures("small_switch")
def test_an_index_that_was_made_meanwhile_is_used(longterm, run, plans, build):
    run(longterm.add_all(person(), approved(texts(400), vectors(400))))
    run(longterm.search(agent(), vectors(1)[0], (), 5))
    build()
    for _ in range(2):
        run(longterm.search(agent(), vectors(1)[0], (), 5))
    # One by one as it was known to be right, then by the index, and from then on by it at once.
    assert ["memory_vectors_near" in plan for plan in plans[2:]] == [False, True, True]


def test_what_came_since_the_last_search_is_found(longterm, run):
    run(longterm.add_all(person(), approved(["alpha one"], vectors(1))))
    run(longterm.search(agent(), vectors(1)[0], tokenize("alpha"), 5))
    run(longterm.add_all(person(), approved(["阿尔法是第一个字母"], vectors(1, seed=2))))
    hits = run(longterm.search(agent(), vectors(1, seed=2)[0], tokenize("字母"), 5))
    assert [hit.content for hit in hits] == ["阿尔法是第一个字母", "alpha one"]


@pytest.mark.usefixtures("small_switch")
def test_a_large_project_without_its_index_is_searched_one_by_one(longterm, run):
    run(longterm.add_all(person(), approved(texts(100), vectors(100))))
    assert len(run(longterm.search(agent(), vectors(1, seed=6)[0], (), 10))) == 10


@pytest.mark.usefixtures("small_switch")
def test_an_index_is_made_once_and_anew_where_the_making_was_broken_off(server_engine, longterm, run):
    run(longterm.add_all(person(), approved(texts(100), vectors(100))))
    assert run(build_indexes(server_engine.database_url, above=100)) == []
    assert run(build_indexes(server_engine.database_url, above=50)) == ["words"]
    assert run(build_indexes(server_engine.database_url, above=50)) == []
    with psycopg.connect(server_engine.database_url, autocommit=True) as connection:
        broken = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass"
        connection.execute(broken, (index_name("words", DIMENSIONS),))
    assert run(build_indexes(server_engine.database_url, above=50)) == ["words"]


def known(superuser):
    """Return what was found out about the one index, whether it is there, and when it was measured."""
    [[fit, vectors, share, at]] = superuser.execute(
        "SELECT ef_search, vectors, recall, measured_at FROM vector_indexes"
    ).fetchall()
    name = index_name("words", MANY_DIMENSIONS)
    [there] = superuser.execute("SELECT to_regclass(%s) IS NOT NULL", (name,)).fetchone()
    return fit, vectors, share, there, at


def nearest(run, longterm, embeddings, contents, project="apollo"):
    """Ask ten questions, and return what is found and what ought to be."""
    questions = gaussian(10, seed=8)
    found = [[hit.content for hit in run(longterm.search(agent(project), one, (), 10))] for one in questions]
    return found, [[contents[at] for at in np.argsort(-(embeddings @ one))[:10]] for one in questions]


@pytest.mark.usefixtures("thin_graph")
def test_an_index_that_finds_what_exact_search_finds_is_used(superuser, longterm, run, build, plans):
    run(longterm.add_all(person(), approved(texts(800), clustered(800))))
    assert build() == ["words"]
    fit, vectors, share, there, _ = known(superuser)
    assert fit in vector_plan.EF_SEARCH
    assert (vectors, there) == (800, True)
    assert share >= hnsw.ENOUGH
    run(longterm.search(agent(), clustered(1, seed=7)[0], (), 10))
    assert index_name("words", MANY_DIMENSIONS) in plans[-1]


@pytest.mark.usefixtures("thin_graph")
def test_an_index_that_misses_what_exact_search_finds_is_dropped_and_not_tried_again_at_once(
    server_engine, superuser, longterm, run, build, plans, caplog
):
    contents, embeddings = texts(800), gaussian(800)
    run(longterm.add_all(person(), approved(contents, embeddings)))
    assert build() == []
    assert re.search(r"index of words finds \d\d\.\d % .*98 % are needed.* dropped.* one by one", caplog.text)
    first = known(superuser)
    fit, vectors, share, there, _ = first
    assert (fit, vectors, there) == (None, 800, False)
    assert share < hnsw.ENOUGH
    found, right = nearest(run, longterm, embeddings, contents)
    assert found == right
    assert "memory_vectors_near" not in "".join(plans)
    assert build() == []
    assert known(superuser) == first
    [health] = run(examine(server_engine.database_url)).indexes
    assert health == IndexHealth(embedder="words", recall=share, used=False)
    assert "compared instead" in doctor._index(health).message


@pytest.mark.usefixtures("small_switch")
def test_an_index_is_tried_again_when_there_are_twice_as_many_vectors(superuser, longterm, run, build, monkeypatch):
    run(longterm.add_all(person(), approved(texts(400), clustered(400))))
    with monkeypatch.context() as stricter:
        stricter.setattr(hnsw, "ENOUGH", 1.1)
        assert build() == []
    assert known(superuser)[0] is None
    run(longterm.add_all(person("gemini"), approved(texts(399), clustered(399, seed=2), "gemini")))
    assert build() == []
    run(longterm.add_all(person("gemini"), approved(["the last one"], clustered(1, seed=3), "gemini")))
    assert build() == ["words"]
    fit, vectors, _, there, _ = known(superuser)
    assert fit in vector_plan.EF_SEARCH
    assert (vectors, there) == (800, True)


@pytest.mark.usefixtures("thin_graph")
def test_an_index_that_finds_too_little_after_growing_is_used_no_longer(superuser, longterm, run, build, plans):
    run(longterm.add_all(person(), approved(texts(400), clustered(400))))
    assert build() == ["words"]
    contents, embeddings = texts(900), gaussian(900)
    run(longterm.add_all(person("gemini"), approved(contents, embeddings, "gemini")))
    assert build() == []
    fit, vectors, _, there, _ = known(superuser)
    assert (fit, vectors, there) == (None, 1300, False)
    found, right = nearest(run, longterm, embeddings, contents, "gemini")
    assert found == right
    assert "memory_vectors_near" not in "".join(plans)


@pytest.mark.usefixtures("thin_graph")
def test_an_index_that_has_to_look_further_is_searched_that_far(superuser, longterm, run, build, monkeypatch):
    monkeypatch.setattr(hnsw, "EF_SEARCH", (40, 1000))
    contents, embeddings = texts(800), gaussian(800)
    run(longterm.add_all(person(), approved(contents, embeddings)))
    assert build() == ["words"]
    assert known(superuser)[0] == 1000
    found, right = nearest(run, longterm, embeddings, contents)
    missed = sum(len(set(best) - set(one)) for one, best in zip(found, right, strict=True))
    assert missed <= 2


@pytest.mark.usefixtures("thin_graph")
def test_an_index_that_is_not_measured_yet_is_not_used(superuser, longterm, run, build, plans):
    run(longterm.add_all(person(), approved(texts(400), clustered(400))))
    assert build() == ["words"]
    superuser.execute("DELETE FROM vector_indexes")
    run(longterm.search(agent(), clustered(1)[0], (), 10))
    assert "memory_vectors_near" not in plans[-1]
    assert build() == []
    run(longterm.search(agent(), clustered(1)[0], (), 10))
    assert "memory_vectors_near" in plans[-1]


@pytest.mark.usefixtures("small_switch")
def test_with_the_vectors_of_an_embedder_its_index_is_forgotten(superuser, database, longterm, run, build):
    run(longterm.add_all(person(), approved(texts(100), clustered(100))))
    assert build() == ["words"]
    assert run(PostgresVectors(database, "another", working=None).forget("words")) == 100
    assert superuser.execute("SELECT * FROM vector_indexes").fetchall() == []
    name = index_name("words", MANY_DIMENSIONS)
    assert superuser.execute("SELECT to_regclass(%s)", (name,)).fetchone() == (None,)


@pytest.mark.usefixtures("small_switch")
def test_one_who_may_not_drop_an_index_is_told_that_it_stays(server_engine, superuser, longterm, run, build, caplog):
    run(longterm.add_all(person(), approved(texts(100), clustered(100))))
    build()
    superuser.execute("CREATE ROLE mere LOGIN; GRANT memsieve_agent, memsieve_filter, memsieve_reviewer TO mere")

    async def forget():
        opened = Database(server_engine.database_url.replace("postgres@", "mere@"))
        await opened.open()
        dropped = await PostgresVectors(opened, "another", working=None).forget("words")
        await opened.close()
        return dropped

    try:
        assert run(forget()) == 100
    finally:
        superuser.execute("DROP ROLE mere")
    assert re.search("vectors of words are gone, and their index stays: .*memsieve_owner", caplog.text)
    assert known(superuser)[3]


def test_words_are_found_by_their_index_and_not_by_reading_the_project(database, longterm, run):
    run(longterm.add_all(person(), approved(texts(300), vectors(300))))
    inner = """
        SELECT sequence FROM memory_words w WHERE w.words && ARRAY[1, 2] AND (w.project_id = asking_project()) IS TRUE
    """

    async def plan(connection, role):
        await connection.execute(f"SET LOCAL ROLE {role}; SET LOCAL enable_seqscan = off")
        rows = await (await connection.execute(f"EXPLAIN (COSTS OFF) {inner}")).fetchall()
        return "\n".join(row["QUERY PLAN"] for row in rows)

    searching = run(database.read(DbRole.AGENT, agent(), lambda connection: plan(connection, "memsieve_search")))
    assert "Bitmap Index Scan on memory_words_by_word" in searching
    # The reason for a role of its own: behind the policy the same question reads the project's rows.
    behind = run(database.read(DbRole.AGENT, agent(), lambda connection: plan(connection, "memsieve_agent")))
    assert "memory_words_by_word" not in behind


def test_the_word_search_tells_nothing_of_another_project(database, longterm, run):
    run(longterm.add_all(person("gemini"), approved(["the secret ledger"], vectors(1), "gemini")))
    theirs = searcher.hash_term("gemini", "secret")
    asked = f"""
        SELECT * FROM best_by_words(ARRAY[{theirs}], '{{}}', '{{}}',
            '{{{theirs + 1}:1}}/1000000000', 1, 0, NULL, 10, 10)
    """

    async def ask(connection):
        return await (await connection.execute(asked)).fetchall()

    assert len(run(database.read(DbRole.AGENT, agent("gemini"), ask))) == 1
    assert run(database.read(DbRole.AGENT, agent(), ask)) == []


def test_a_text_with_a_common_word_only_is_found_where_all_words_are_common(longterm, run, monkeypatch):
    monkeypatch.setattr(searcher, "MOST_TEXTS", 5)
    monkeypatch.setattr(searcher, "plan_lookup", lambda holding, texts: plan_lookup(holding, texts, 5))
    contents = [f"alpha filler{number}" for number in range(20)] + [f"beta other{number}" for number in range(20)]
    run(longterm.add_all(person(), approved([*contents, "alpha beta"], vectors(41))))
    [best, *others] = run(longterm.search(agent(), None, tokenize("alpha beta"), 5))
    assert best.content == "alpha beta"
    assert others
    assert len(run(longterm.search(agent(), None, tokenize("alpha"), 3))) == 3


def test_rare_words_are_looked_up_alone_and_common_ones_together():
    assert plan_lookup({1: 10, 2: 20, 3: 0}, 1000, 100) == TermLookup(alone=[1, 2])
    assert plan_lookup({1: 10, 2: 200, 3: 300}, 1000, 100) == TermLookup(
        alone=[1], together=[(2, 3)], otherwise=[1, 2, 3]
    )
    assert plan_lookup({2: 500}, 1000, 100) == TermLookup(alone=[], together=[], otherwise=[2])
    [*chosen] = plan_lookup({2: 500, 3: 600, 4: 700}, 1000, 100).together
    assert chosen == [(2, 3, 4)]


def test_vectors_of_another_length_under_the_same_name_are_left_to_the_words(longterm, run):
    run(longterm.add_all(person(), approved(["alpha one"], [np.ones(3, np.float32) / 3**0.5])))
    run(longterm.add_all(person(), approved(["alpha two"], vectors(1))))
    hits = {hit.content: hit.similarity for hit in run(longterm.search(agent(), vectors(1)[0], tokenize("alpha"), 5))}
    assert hits == {"alpha one": None, "alpha two": pytest.approx(1, abs=1e-3)}
