"""What `ports.VectorStore` promises, kept by Redis for working memory."""

from dataclasses import replace

import pytest

from memsieve.errors import InvalidInput
from memsieve.stores.redis.working import RedisVectors, RedisWorking
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import admission, agent, entry, system


def work(run, working, text, project):
    run(working.put(system(project), entry(text, project_id=project), admission()))


class Others(WordEmbedder):
    name = "others"

    def _direction(self, word):
        return super()._direction(f"other {word}")


@pytest.fixture
def stale(redis, connect, run, clock):
    """Fill several projects by one embedder and look at them by another."""
    old = RedisWorking(connect(redis.url), "words", clock)
    for number in range(12):
        work(run, old, f"text {number}", f"p{number % 5}")
        clock.advance(seconds=1)
    return RedisVectors(connect(redis.url), "others")


def all_stale(run, vectors, page):
    found, last = [], None
    while texts := run(vectors.next_stale(last, page)):
        found += texts
        last = texts[-1]
    return found


def made(texts):
    return [(text, Others().vector(text.content)) for text in texts]


def test_what_this_embedder_has_seen_is_not_stale(redis, connect, stale, run):
    same = RedisVectors(connect(redis.url), "words")
    assert run(same.stale()) == 0
    assert run(same.next_stale(None, 10)) == []


@pytest.mark.parametrize("page", [1, 5, 100])
def test_stale_texts_of_all_projects_come_from_the_newest_back(stale, run, page):
    texts = all_stale(run, stale, page)
    assert [text.content for text in texts] == [f"text {number}" for number in range(11, -1, -1)]
    assert {(text.kind, text.embedder) for text in texts} == {("working", "words")}
    assert [text.project_id for text in texts[:3]] == ["p1", "p0", "p4"]
    assert run(stale.stale()) == 12


def test_texts_of_one_moment_in_several_projects_are_all_found(redis, connect, run, clock):
    old = RedisWorking(connect(redis.url), "words", clock)
    for number in range(6):
        work(run, old, f"text {number}", f"p{number}")
    assert len(all_stale(run, RedisVectors(connect(redis.url), "others"), 2)) == 6


def test_who_begins_again_finds_what_has_become_stale_since(redis, connect, stale, run, clock):
    [newest] = run(stale.next_stale(None, 1))
    work(run, RedisWorking(connect(redis.url), "words", clock), "text 12", "p9")
    assert [text.content for text in run(stale.next_stale(None, 2))] == ["text 12", newest.content]


def test_new_vectors_are_seen_by_who_has_read_the_entries_before(redis, connect, stale, run, clock):
    new = RedisWorking(connect(redis.url), "others", clock)
    assert [one.embedding for one in run(new.list(agent("p1")))] == [None] * 3
    texts = all_stale(run, stale, 100)
    assert run(stale.put(made(texts))) == texts
    assert run(stale.stale()) == 0
    for one in run(new.list(agent("p1"))):
        assert float(one.embedding @ Others().vector(one.content)) == pytest.approx(1, abs=1e-3)


def test_nothing_but_the_vector_changes(redis, connect, stale, run, clock):
    new = RedisWorking(connect(redis.url), "others", clock)
    before = run(new.list(agent("p1")))
    run(stale.put(made(all_stale(run, stale, 100))))
    assert run(new.list(agent("p1"))) == before


def test_a_text_that_is_gone_or_was_seen_by_yet_another_embedder_is_left_alone(redis, connect, stale, run, clock):
    third = RedisVectors(connect(redis.url), "third")
    new = RedisWorking(connect(redis.url), "others", clock)
    first, second, *rest = all_stale(run, stale, 100)
    [gone] = [one for one in run(new.list(agent(first.project_id))) if one.content == first.content]
    run(new.forget(system(first.project_id), [gone.id]))
    assert run(third.put([(second, None)])) == [second]
    assert run(stale.put(made([first, second, *rest]))) == rest
    assert [text.embedder for text in all_stale(run, stale, 100)] == ["third"]


def test_what_cannot_be_read_is_seen_and_has_no_vector(redis, connect, stale, run, clock):
    texts = all_stale(run, stale, 100)
    assert run(stale.put([(text, None) for text in texts])) == texts
    assert run(stale.stale()) == 0
    new = RedisWorking(connect(redis.url), "others", clock)
    assert [one.embedding for one in run(new.list(agent("p1")))] == [None] * 3


def test_a_kind_that_redis_does_not_keep_is_refused_and_nothing_is_put(stale, run):
    first, second, *_ = all_stale(run, stale, 100)
    with pytest.raises(InvalidInput, match="nowhere"):
        run(stale.put(made([first, replace(second, kind="nowhere")])))
    assert run(stale.stale()) == 12
