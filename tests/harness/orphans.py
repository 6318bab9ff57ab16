"""A process of its own for the fault tests: starts every engine, tells what to look for, and waits to be killed.

Usage: orphans.py [fork | exit]
"""

import json
import os
import sys
import time

from memsieve.testing import PostgresServer, RedisCluster, RedisServer


def main(*deeds: str) -> None:
    cluster = RedisCluster()
    servers = [PostgresServer("18"), PostgresServer("16"), RedisServer(), *cluster.nodes]
    for server in servers:
        server.start()
    fork = os.fork() if "fork" in deeds else 0
    if "fork" not in deeds or fork:
        seen = {"pids": [server.pid for server in servers], "folders": [str(server.folder) for server in servers]}
        print(json.dumps({**seen, "fork": fork}), flush=True)  # noqa: T201 - the test reads it
    if "exit" not in deeds:
        time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
