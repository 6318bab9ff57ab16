"""One Redis or one Redis Cluster: its connections, its Lua scripts, and how it is when it does not answer."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from redis import exceptions
from redis.asyncio import Redis
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import Connection, ConnectionPool, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from memsieve.errors import StoreUnavailable
from memsieve.stores.redis.server import (
    DRIVER_ERRORS,
    Address,
    down,
    in_our_words,
    is_cluster,
    misconfigured,
    parse,
    unreachable,
)

SECONDS = 2.0
# With a second try, and with finding a cluster's nodes anew between the two.
PATIENCE = 5.0
# A server that did not answer is not asked again for this long.
PAUSE = 1.0
AT_ONCE = 64
OLDEST = (6, 2)


def open_client(url: str) -> RedisClient:
    """Return a client for what a URL names; it connects when it is first asked, for Redis may be down now."""
    return RedisClient(parse(url))


class RedisClient:
    """Runs scripts. After an outage it goes on by itself."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._redis: Redis | RedisCluster = _connect(address)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._known = False
        self._closed = False
        # By node, until when it counts as down; the whole server or cluster has no name.
        self._down: dict[str, float] = {}

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[str | bytes | int]) -> Any:
        """Run a script on keys of one project and return what it returns."""
        async with self._asking(keys):
            call = (len(keys), *keys, *args)
            try:
                return await self._redis.execute_command("EVALSHA", script.digest, *call)
            except exceptions.NoScriptError:
                return await self._redis.execute_command("EVAL", script.text, *call)

    async def keys(self, pattern: str) -> set[str]:
        """Return all keys like this, of every node."""
        async with self._asking((), patience=None):
            return {key.decode() async for key in self._redis.scan_iter(match=pattern, count=1000)}

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        with suppress(*DRIVER_ERRORS):
            await self._redis.aclose()

    @asynccontextmanager
    async def _asking(self, keys: Sequence[str], patience: float | None = PATIENCE) -> AsyncIterator[None]:
        if self._closed:
            raise StoreUnavailable("This memory is closed. Open it again to go on.")
        node = self._node(keys)
        self._refuse_while_down(node)
        try:
            async with asyncio.timeout(patience), self._turns:
                await self._look()
                yield
        except DRIVER_ERRORS as exc:
            self._down.pop(node, None)
            if unreachable(exc, self._address):
                self._down[node] = time.monotonic() + PAUSE
                await self._begin_anew(exc)
            raise in_our_words(exc, self._address, keys) from exc
        self._down.pop(node, None)

    def _refuse_while_down(self, node: str) -> None:
        until, now = self._down.get(node), time.monotonic()
        if until is None:
            return
        if now < until:
            raise down(self._address, "it did not a moment ago")
        # One caller asks; the others are refused until it has an answer.
        self._down[node] = now + PATIENCE

    def _node(self, keys: Sequence[str]) -> str:
        """Return the name of the node that holds a key: when one node is down, the others still serve."""
        if isinstance(self._redis, RedisCluster) and keys:
            with suppress(exceptions.RedisClusterException):
                node = self._redis.get_node_from_key(keys[0])
                return "" if node is None else str(node.name)
        return ""

    async def _look(self) -> None:
        """See once that this is a Redis of the kind that the URL says, and new enough."""
        if self._known:
            return
        if isinstance(self._redis, RedisCluster):
            await self._redis.initialize()
        found = await self._server()
        if found.get("redis_mode") == "cluster" and not self._address.cluster:
            raise misconfigured(self._address, is_cluster())
        version = str(found.get("redis_version", "99"))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            raise misconfigured(self._address, f"is version {version}; memsieve needs 6.2 or newer.")
        self._known = True

    async def _server(self) -> dict[str, Any]:
        # A user without the right to ask this may still have all rights that are needed.
        with suppress(exceptions.NoPermissionError):
            on = {"target_nodes": RedisCluster.DEFAULT_NODE} if self._address.cluster else {}
            found: dict[str, Any] = await self._redis.execute_command("INFO", "server", **on)
            return found
        return {}

    async def _begin_anew(self, exc: BaseException) -> None:
        """Find a cluster by the URL again when none of the nodes that it had last is there."""
        if isinstance(exc, exceptions.RedisClusterException):
            lost, self._redis = self._redis, _connect(self._address)
            with suppress(*DRIVER_ERRORS):
                await lost.aclose()


def _connect(address: Address) -> Redis | RedisCluster:
    retry = Retry(NoBackoff(), 1, (exceptions.ConnectionError,))
    options: dict[str, Any] = {
        "username": address.username,
        "password": address.password,
        "socket_timeout": SECONDS,
        "socket_connect_timeout": SECONDS,
        "protocol": 2,
        "retry": retry,
        **dict(address.tls_options),
    }
    if address.cluster:
        nodes = [ClusterNode(host, port) for host, port in address.nodes]
        return RedisCluster(startup_nodes=nodes, ssl=address.tls, max_connections=2 * AT_ONCE, **options)
    [(host, port)] = address.nodes
    kind = SSLConnection if address.tls else Connection
    return Redis.from_pool(ConnectionPool(kind, host=host, port=port, db=address.database, **options))


@dataclass(frozen=True, slots=True)
class Script:
    """A script and the name by which a server remembers it."""

    text: str
    digest: str


@cache
def script(name: str) -> Script:
    """Return a script by its file's name, behind the lines that all of them begin with."""
    folder = resources.files("memsieve.stores.redis").joinpath("scripts")
    text = "\n".join(folder.joinpath(f"{part}.lua").read_text("utf-8") for part in ("living", name))
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())
