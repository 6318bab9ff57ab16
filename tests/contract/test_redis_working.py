"""Working memory on a real Redis and a real cluster: its keys, its time, strangers in it, and many writers at once."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import pytest

from memsieve.errors import StoreCorrupt
from memsieve.ports import CLOCK_SKEW, WORKING_CAP, WORKING_LIFE
from memsieve.stores.redis.working import RedisWorking, keys_of
from memsieve.testing.factories import admission, agent, entry, system
from memsieve.testing.server import wait_until

STRANGE = ["a", "a:b@c", "Ä.b-c_d", "项目", "apollo:order", "7"]


@pytest.fixture
def working(redis, connect):
    return RedisWorking(connect(redis.url), "words")


def put(run, working, text, project="apollo", life=WORKING_LIFE, **fields):
    said = entry(text, project_id=project, **fields)
    run(working.put(system(project), said, admission(), life))
    return said


def listed(run, working, project="apollo"):
    return [one.content for one in run(working.list(agent(project)))]


def ask(redis, project, command, *words):
    """Ask the node that holds a project's keys, with the key as the command's first word."""
    for node in getattr(redis, "nodes", [redis]):
        answer = node.ask(command, *words)
        if "MOVED" not in answer:
            return answer
    raise AssertionError(f"no node holds {project}")


@pytest.mark.parametrize("project", [*STRANGE, "{a}", "a}b{c", "%7Ba%7D", "{}"])
def test_the_keys_of_a_project_lie_in_one_slot(redis_cluster, project):
    node = redis_cluster.nodes[0]
    order, entries, holders = (node.ask("CLUSTER", "KEYSLOT", key) for key in keys_of(project))
    assert order.isdigit()
    assert order == entries == holders


@pytest.mark.parametrize("project", STRANGE)
def test_a_project_with_a_strange_name_is_served_like_any_other(working, run, project):
    said = put(run, working, "one", project)
    put(run, working, "two", project)
    assert listed(run, working, project) == ["two", "one"]
    assert run(working.forget(system(project), [said.id])) == 1
    assert run(working.count(agent(project))) == 1
    assert listed(run, working) == []


def test_hostile_content_comes_back_as_it_was(working, run):
    text = "one\ntwo\r\n\u2028\x01\"{}' -- 数据库 \U0001f600" + "x" * 60_000
    said = put(run, working, text, metadata={"a\nb": [1.5, None, "\n"]}, id='i d"\\ä')
    [kept] = run(working.list(agent()))
    assert (kept.content, kept.metadata, kept.id) == (said.content, said.metadata, said.id)


@pytest.mark.parametrize("hours", [-30, -7, 7, 30])
def test_a_life_is_counted_by_the_servers_time_whatever_the_caller_thinks_it_is(redis, working, run, hours):
    said = entry("one", created_at=datetime.now(UTC) + timedelta(hours=hours))
    run(working.put(system(), said, admission(at=said.created_at)))
    [kept] = run(working.list(agent()))
    seconds = int(ask(redis, "apollo", "TIME").split()[0])
    server = datetime.fromtimestamp(seconds, UTC)
    assert abs(kept.expires_at - server - WORKING_LIFE) < timedelta(seconds=10)


def test_both_keys_go_when_the_last_entry_ends_and_a_shorter_life_prolongs_none(redis, working, run):
    put(run, working, "old", life=timedelta(minutes=2))
    for key in keys_of("apollo"):
        assert 100_000 < int(ask(redis, "apollo", "PTTL", key)) <= 120_000
    put(run, working, "new")
    put(run, working, "older", life=timedelta(minutes=1))
    for key in keys_of("apollo"):
        assert 86_390_000 < int(ask(redis, "apollo", "PTTL", key)) <= 86_400_000


def test_entries_end_one_by_one_by_real_time(working, run):
    put(run, working, "short", life=timedelta(seconds=1))
    put(run, working, "long")
    assert listed(run, working) == ["long", "short"]
    wait_until(lambda: listed(run, working) == ["long"])
    assert run(working.count(agent())) == 1


def test_what_has_ended_is_removed_at_the_next_write(redis, connect, run, clock):
    working = RedisWorking(connect(redis.url), "words", clock)
    put(run, working, "one")
    clock.advance(hours=24)
    put(run, working, "two")
    for command, key in zip(("ZCARD", "HLEN", "HLEN"), keys_of("apollo"), strict=True):
        assert ask(redis, "apollo", command, key) == "1"


def test_what_has_no_life_left_is_not_even_written(redis, working, run):
    put(run, working, "one")
    put(run, working, "over", life=timedelta())
    assert ask(redis, "apollo", "ZCARD", keys_of("apollo")[0]) == "1"


def test_entries_of_one_moment_keep_the_order_in_which_they_were_put_back(redis, connect, run, clock):
    working = RedisWorking(connect(redis.url), "words", clock)
    texts = [f"text {number}" for number in range(20)]
    for text in texts:
        put(run, working, text, life=timedelta(hours=3))
    assert listed(run, working) == texts[::-1]


def test_a_clock_that_ran_ahead_leaves_nothing_behind_at_the_next_write(redis, connect, run, clock):
    working = RedisWorking(connect(redis.url), "words", clock)
    clock.advance(hours=1)
    put(run, working, "from the future")
    clock.advance(hours=-1)
    put(run, working, "of today")
    assert ask(redis, "apollo", "ZCARD", keys_of("apollo")[0]) == "1"
    clock.advance(hours=1)
    assert listed(run, working) == ["of today"]


def test_clocks_that_differ_a_little_keep_the_order_in_which_was_put(redis, connect, run, clock):
    working = RedisWorking(connect(redis.url), "words", clock)
    put(run, working, "one")
    clock.advance(seconds=-CLOCK_SKEW.total_seconds() / 2)
    put(run, working, "two")
    assert listed(run, working) == ["two", "one"]


def test_what_a_stranger_wrote_under_a_key_is_refused_and_left_as_it_was(redis, working, run):
    order, entries, _ = keys_of("apollo")
    ask(redis, "apollo", "SET", order, "mine")
    for work in (working.list(agent()), working.put(system(), entry("one"), admission()), working.count(agent())):
        with pytest.raises(StoreCorrupt, match="remove these keys"):
            run(work)
    assert ask(redis, "apollo", "GET", order) == "mine"
    assert ask(redis, "apollo", "EXISTS", entries) == "0"


@pytest.mark.parametrize("garbage", ["mine", '{}\n"words"\n', '["a"]\n"words"\n', '{"id":"other"}\n"words"\n'])
def test_an_entry_that_cannot_be_read_is_an_error_and_no_shorter_list(redis, working, run, garbage):
    said = put(run, working, "one")
    put(run, working, "two")
    ask(redis, "apollo", "HSET", keys_of("apollo")[1], said.id, garbage)
    with pytest.raises(StoreCorrupt, match="remove these keys"):
        run(working.list(agent()))


@pytest.mark.parametrize("lost", [0, 1])
def test_when_redis_throws_one_of_the_keys_away_the_next_write_begins_anew(redis, working, run, caplog, lost):
    said = put(run, working, "one")
    ask(redis, "apollo", "DEL", keys_of("apollo")[lost])
    with caplog.at_level(logging.WARNING):
        assert listed(run, working) == []
    assert [record.name for record in caplog.records] == ["memsieve.stores.redis.working"] * lost
    run(working.put(system(), said, admission()))
    assert listed(run, working) == ["one"]
    assert ask(redis, "apollo", "HLEN", keys_of("apollo")[1]) == "1"


def test_what_was_read_before_is_not_sent_again(redis_server, connect, run):
    def sent():
        return int(redis_server.ask("INFO", "stats").partition("total_net_output_bytes:")[2].split()[0])

    working = RedisWorking(connect(redis_server.url), "words")
    for number in range(10):
        put(run, working, f"{number} " + "x" * 50_000)
    first = run(working.list(agent()))
    put(run, working, "new")
    before = sent()
    second = run(working.list(agent()))
    assert sent() - before < 30_000
    assert second[1:] == first
    assert [id(one) for one in second[1:]] == [id(one) for one in first]


def test_many_writers_at_once_never_exceed_the_cap(redis, connect, run):
    writers = [RedisWorking(connect(redis.url), "words") for _ in range(2)]

    async def write(working, number):
        await working.put(system(), entry(f"text {number}"), admission())
        return len(await working.list(agent())), await working.count(agent())

    async def race():
        return await asyncio.gather(*(write(writers[number % 2], number) for number in range(3 * WORKING_CAP)))

    seen = run(race())
    assert max(max(pair) for pair in seen) == WORKING_CAP
    assert listed(run, writers[0]) == listed(run, writers[1])
    for command, key in zip(("ZCARD", "HLEN", "HLEN"), keys_of("apollo"), strict=True):
        assert ask(redis, "apollo", command, key) == str(WORKING_CAP)


def test_the_same_entry_put_by_many_at_once_is_there_once(redis, connect, run):
    writers = [RedisWorking(connect(redis.url), "words") for _ in range(2)]
    said = entry("one")

    async def race():
        await asyncio.gather(*(writer.put(system(), said, admission()) for writer in writers * 20))

    run(race())
    assert listed(run, writers[0]) == ["one"]
