"""What working memory does while Redis is away, forgets, or is another than the settings say."""

import asyncio

import pytest

from memsieve.errors import ConfigError, StoreUnavailable
from memsieve.stores.redis.client import open_client
from memsieve.stores.redis.working import RedisWorking, keys_of
from memsieve.testing import RedisCluster, RedisServer
from memsieve.testing.factories import admission, agent, entry, system


@pytest.fixture
def working(redis, connect):
    return RedisWorking(connect(redis.url), "words")


def put(run, working, text, project="apollo"):
    said = entry(text, project_id=project)
    run(working.put(system(project), said, admission()))
    return said


def listed(run, working, project="apollo"):
    return [one.content for one in run(working.list(agent(project)))]


def served_again(run, work):
    """Wait until work that failed while Redis was away is done; nothing is opened anew for it."""

    async def until_done():
        async with asyncio.timeout(30):
            while True:
                try:
                    return await work()
                except StoreUnavailable:
                    await asyncio.sleep(0.1)

    return run(until_done())


async def soon(work):
    async with asyncio.timeout(15):
        return await work


def test_a_server_that_has_forgotten_the_scripts_is_told_them_again(redis, working, run):
    put(run, working, "one")
    for node in getattr(redis, "nodes", [redis]):
        assert node.ask("SCRIPT", "FLUSH") == "OK"
    put(run, working, "two")
    assert listed(run, working) == ["two", "one"]


def test_a_flushed_server_is_empty_without_an_error_and_takes_entries_again(redis, working, run):
    said = put(run, working, "one")
    assert listed(run, working) == ["one"]
    redis.flush()
    assert listed(run, working) == []
    assert run(working.count(agent())) == 0
    run(working.put(system(), said, admission()))
    assert listed(run, working) == ["one"]


@pytest.mark.parametrize("make", [RedisServer, RedisCluster])
def test_a_killed_server_is_said_to_be_down_and_serves_again_after_its_restart(make, connect, run):
    with make() as server:
        working = RedisWorking(connect(server.url), "words")
        put(run, working, "one")
        server.kill()
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="See that it runs and that MEMSIEVE_REDIS_URL names it"):
                run(soon(working.list(agent())))
        with pytest.raises(StoreUnavailable):
            run(soon(working.put(system(), entry("two"), admission())))
        server.start()
        assert served_again(run, lambda: working.list(agent())) == []
        put(run, working, "three")
        assert listed(run, working) == ["three"]


@pytest.mark.parametrize("make", [RedisServer, RedisCluster])
def test_a_server_that_comes_up_after_the_client_is_found(make, connect, run):
    with make() as server:
        server.stop()
        working = RedisWorking(connect(server.url), "words")
        with pytest.raises(StoreUnavailable):
            run(soon(working.list(agent())))
        server.start()
        assert served_again(run, lambda: working.list(agent())) == []


def test_a_connection_that_was_dropped_is_made_again_without_an_error(redis, working, run):
    put(run, working, "one")
    for node in getattr(redis, "nodes", [redis]):
        node.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    put(run, working, "two")
    assert listed(run, working) == ["two", "one"]


def test_while_one_node_of_a_cluster_is_down_the_others_serve(connect, run):
    with RedisCluster("--cluster-require-full-coverage", "no") as cluster:
        working = RedisWorking(connect(cluster.url), "words")
        homes = {}
        for number in range(30):
            project = f"p{number}"
            put(run, working, project, project)
            [home] = [node for node in cluster.nodes if node.ask("EXISTS", keys_of(project)[0]) in {"1", "(integer) 1"}]
            homes.setdefault(home, project)
        assert len(homes) == 3
        down = cluster.nodes[0]
        down.kill()
        with pytest.raises(StoreUnavailable):
            run(soon(working.list(agent(homes[down]))))
        for node in cluster.nodes[1:]:
            assert listed(run, working, homes[node]) == [homes[node]]
        down.start()
        assert served_again(run, lambda: working.list(agent(homes[down]))) == []


def test_a_cluster_that_comes_back_with_other_nodes_is_found_by_its_url(connect, run):
    homes = []

    async def pass_on(reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", homes[-1])
        await asyncio.gather(copy(reader, back), copy(there, writer), return_exceptions=True)

    async def copy(reader, writer):
        while some := await reader.read(65536):
            writer.write(some)
        writer.close()

    with RedisCluster() as first, RedisCluster() as second:
        homes.append(first.nodes[0].port)
        door = run(_serve(pass_on))
        working = RedisWorking(connect(f"redis-cluster://127.0.0.1:{door.sockets[0].getsockname()[1]}"), "words")
        put(run, working, "one")
        first.kill()
        with pytest.raises(StoreUnavailable):
            run(soon(working.list(agent())))
        homes.append(second.nodes[0].port)
        assert served_again(run, lambda: working.list(agent())) == []
        door.close()
        run(door.wait_closed())


async def _serve(handler):
    return await asyncio.start_server(handler, "127.0.0.1", 0)


def test_after_a_server_did_not_answer_nobody_waits_for_it_for_a_moment(connect, run, monkeypatch):
    # On a busy machine the moment may be over before two hundred have asked.
    monkeypatch.setattr("memsieve.stores.redis.client.PAUSE", 60.0)
    seen = []

    async def silence():
        server = await asyncio.start_server(lambda *stream: seen.append(stream), "127.0.0.1", 0)
        async with server:
            working = RedisWorking(connect(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"), "words")
            with pytest.raises(StoreUnavailable):
                await soon(working.list(agent()))
            asked = len(seen)
            answers = await asyncio.gather(*(working.list(agent()) for _ in range(200)), return_exceptions=True)
            for _, writer in seen:
                writer.close()
        return asked, answers

    asked, answers = run(silence())
    assert len(seen) == asked > 0
    assert {type(answer) for answer in answers} == {StoreUnavailable}


def test_a_closed_client_says_so(redis, run):
    client = open_client(redis.url)
    working = RedisWorking(client, "words")
    put(run, working, "one")
    run(client.close())
    with pytest.raises(StoreUnavailable, match="closed"):
        run(working.list(agent()))


def test_a_cluster_that_is_taken_for_a_single_server_is_a_wrong_setting(redis_cluster, connect, run):
    for node in redis_cluster.nodes:
        working = RedisWorking(connect(node.url), "words")
        with pytest.raises(ConfigError, match="redis-cluster://"):
            run(working.list(agent()))


def test_a_single_server_that_is_taken_for_a_cluster_is_a_wrong_setting(redis_server, connect, run):
    working = RedisWorking(connect(f"redis-cluster://{redis_server.address}"), "words")
    for _ in range(2):
        with pytest.raises(ConfigError, match="begin MEMSIEVE_REDIS_URL with redis://"):
            run(working.list(agent()))


@pytest.mark.parametrize(("make", "scheme"), [(RedisServer, "redis"), (RedisCluster, "redis-cluster")])
def test_a_wrong_password_is_a_wrong_setting_and_is_not_repeated(make, scheme, connect, run):
    with make() as server:
        nodes = getattr(server, "nodes", [server])
        where = ",".join(node.address for node in nodes)
        for node in nodes:
            node.ask("CONFIG", "SET", "requirepass", "p/s@s")
        for user in ("", "default:hunter2@", "nobody:hunter2@"):
            working = RedisWorking(connect(f"{scheme}://{user}{where}"), "words")
            with pytest.raises(ConfigError, match="user or password") as caught:
                run(soon(working.list(agent())))
            assert "hunter2" not in str(caught.value)
        working = RedisWorking(connect(f"{scheme}://default:p%2Fs%40s@{where}"), "words")
        put(run, working, "one")
        assert listed(run, working) == ["one"]
