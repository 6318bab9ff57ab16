"""The server: where it listens, who may call it without a key, how many processes it has, and how it stops."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess

from memsieve.api.connections import HttpConnection, address_of, listen, raise_connection_limit
from memsieve.api.credentials import TOKEN_FILE, reviewer_token
from memsieve.api.observability.metrics import SHARED_FOLDER
from memsieve.config import Settings, login_name
from memsieve.errors import ConfigError, StoreUnavailable
from memsieve.runtime.logs import server_logging
from memsieve.services.container import open_services

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# Longer than the minute for which most proxies keep a connection: they close it, and know that they did.
KEEP_ALIVE_SECONDS = 75
# Several that start at once on a busy machine take their time; one that serves answers its supervisor at once.
START_SECONDS = 120
HUNG_SECONDS = 30
# So many of the connections may be event streams, which stay: there are always some for other requests.
STREAM_SHARE = 0.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppFactory:
    """Makes the application, in this process or, pickled, in a worker."""

    settings: Settings
    bound_to_loopback: bool
    token: str | None
    user: str
    max_streams: int
    knowledge: Mapping[str, Path]

    def __call__(self) -> ASGIApp:
        """Return a new application."""
        from memsieve.api.app import create_app

        return create_app(
            self.settings,
            bound_to_loopback=self.bound_to_loopback,
            token=self.token,
            user=self.user,
            max_streams=self.max_streams,
            knowledge=self.knowledge,
        )


def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    workers: int = 1,
    knowledge: Mapping[str, Path] | None = None,
    as_json: bool = False,
) -> None:
    """Serve until a signal comes, and then finish what was accepted."""
    loopback = is_loopback(host)
    settings = with_spool(settings)
    down = asyncio.run(_look(settings, host, loopback=loopback))
    keyless = loopback and not settings.require_keys
    token = reviewer_token(settings.data) if keyless else None
    listener = listen(host, port)
    shared = _shared(settings, workers)
    connections = raise_connection_limit()
    application = AppFactory(
        settings=shared,
        bound_to_loopback=loopback,
        token=token,
        user=login_name(),
        max_streams=int(connections * STREAM_SHARE),
        knowledge=knowledge or {},
    )
    config = _configuration(application, workers, connections, as_json=as_json)

    def announce() -> None:
        _announce(settings, address_of(listener), keyless=keyless)
        if token is not None:
            _offer(address_of(listener), token, as_json=as_json)
        if down is not None:
            _log.warning("Whether anybody has a key is not known yet, and nobody is served without one: %s", down)

    if workers == 1:
        _serve_alone(config, listener, announce)
    else:
        _serve_together(config, listener, announce)
    _log.info("Stopped.")


def is_loopback(host: str) -> bool:
    """Say whether only programs on this machine reach a host; of a name nobody knows for certain."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def with_spool(settings: Settings) -> Settings:
    """Return the settings of a server: unless they say no, what agents say survives an outage of PostgreSQL."""
    return replace(settings, spool=settings.database_url is not None) if settings.spool is None else settings


def _shared(settings: Settings, workers: int) -> Settings:
    """Return the settings of one of so many workers: what the whole server lets through is shared out to them."""
    return replace(settings, rate_limit=settings.rate_limit / workers)


async def _look(settings: Settings, host: str, *, loopback: bool) -> StoreUnavailable | None:
    """Open the memory once, so that what is wrong with it is said in one line, before any worker starts.

    Return why nobody can tell whether there is a key: that is no reason not to start, for nobody comes in without one.
    """
    async with open_services(replace(settings, spool=False), jobs=False) as services:
        try:
            anybody = loopback or await services.keys.any()
        except StoreUnavailable as exc:
            return exc
        if not anybody:
            raise ConfigError(
                f"{host} can be reached from other machines, and nobody has a key yet. Make the first one: "
                f"memsieve keys make --name YOU --role admin --by YOU --data {shlex.quote(str(settings.data))} "
                "(or listen on this machine alone, where none is needed: memsieve serve --host 127.0.0.1)"
            )
    return None


def _configuration(application: AppFactory, workers: int, connections: int, *, as_json: bool) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        factory=True,
        http=HttpConnection,
        ws="none",
        lifespan="on",
        workers=workers,
        log_config=server_logging(as_json=as_json),
        access_log=False,
        # Who calls is the peer. A proxy that speaks for others sends a key with what it passes on.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=connections,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=application.settings.stop_seconds,
        timeout_worker_healthcheck=HUNG_SECONDS,
    )


def _announce(settings: Settings, address: str, *, keyless: bool) -> None:
    engine = "SQLite" if settings.database_url is None else "PostgreSQL and Redis"
    token = settings.data / TOKEN_FILE if keyless else None
    who = "Callers need a key: memsieve keys make" if token is None else f"The reviewer's token: cat {token}"
    document = {"address": address, "data": settings.data, "engine": engine, "token_file": token}
    _log.info("Listening on %s, with %s in %s. %s", address, engine, settings.data, who, extra={"document": document})


def _offer(address: str, token: str, *, as_json: bool) -> None:
    """Print the link that signs in to the console. The log never has it, nor a server: browsers send no fragment."""
    link = f"{address}/#token={token}"
    line = json.dumps({"console": link}) if as_json else f"Open the console as a reviewer: {link}"
    # Whoever does not listen misses a link, and the server serves all the same.
    with suppress(OSError, ValueError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


class Server(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._announce()


def _serve_alone(config: uvicorn.Config, listener: socket, announce: Callable[[], None]) -> None:
    server = Server(config, announce)
    with _ended_by_signals(server):
        try:
            server.run([listener])
        except SystemExit as exc:
            if exc.code == STARTUP_FAILURE:
                raise _failed_to_start() from exc
            raise


@contextmanager
def _ended_by_signals(server: Server) -> Iterator[None]:
    """Let a signal be the normal way to stop: uvicorn would die of it once more after it has stopped."""

    def handle(_number: int, _frame: object) -> None:
        if not server.started:
            raise SystemExit(0)
        server.should_exit = True

    numbers = [signal.SIGTERM, signal.SIGINT, *_hangup()]
    before = [signal.signal(number, handle) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _hangup() -> list[signal.Signals]:
    """Return the signal of a terminal that goes away, unless it is to be ignored, as `nohup` asks."""
    if not hasattr(signal, "SIGHUP") or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return []
    return [signal.SIGHUP]


class Workers(Multiprocess):
    """Keeps so many workers alive, and says when the first ones are ready."""

    def __init__(self, config: uvicorn.Config, listener: socket, announce: Callable[[], None]) -> None:
        super().__init__(config, [listener])
        self._announce = announce

    def init_processes(self) -> None:
        """Start the workers, and say so when they serve."""
        super().init_processes()
        if all(process.wait_until_ready(START_SECONDS, self.should_exit) for process in self.processes):
            self._announce()

    def keep_subprocess_alive(self) -> None:
        """Put a new worker in the place of one that died."""
        for pid in self._gone(super().keep_subprocess_alive):
            _log.warning("A worker died, process %s. Another one takes its place.", pid)

    def restart_all(self) -> None:
        """Put a new worker in the place of each, one after the other."""
        for pid in self._gone(super().restart_all):
            _log.info("Process %s has made way for a new worker.", pid)

    def _gone(self, change: Callable[[], None]) -> set[int | None]:
        """Do what may end workers; return which are gone, and their open streams with them."""
        before = {process.pid for process in self.processes}
        change()
        gone = before - {process.pid for process in self.processes}
        for pid in gone:
            _forget_metrics(pid)
        return gone


def _serve_together(config: uvicorn.Config, listener: socket, announce: Callable[[], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="memsieve-metrics-") as folder:
        os.environ[SHARED_FOLDER] = folder
        try:
            workers = Workers(config, listener, announce)
            workers.run()
        finally:
            del os.environ[SHARED_FOLDER]
    if any(process.exitcode == STARTUP_FAILURE for process in workers.processes):
        raise _failed_to_start()


def _forget_metrics(pid: int | None) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call] # it has no types


def _failed_to_start() -> ConfigError:
    return ConfigError("The server could not start. The log above says why; `memsieve doctor` looks everything over.")
