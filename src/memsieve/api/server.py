"""`memsieve serve`: the start, the worker processes and the stop of the server."""

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

# Longer than the minute of most proxies, so that they close a connection, never the server under a request.
KEEP_ALIVE_SECONDS = 75
# Starting takes long on a busy machine; a worker that serves answers its supervisor at once.
START_SECONDS = 120
HUNG_SECONDS = 30
# The share of connections that event streams may have, so that some are left for other requests.
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
    down = asyncio.run(_check_memory(settings, host, loopback=loopback))
    keyless = loopback and not settings.require_keys
    token = reviewer_token(settings.data) if keyless else None
    listener = listen(host, port)
    shared = _per_worker(settings, workers)
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
            _log.warning("The keys cannot be read yet, and nobody is served without one: %s", down)

    if workers == 1:
        _serve_alone(config, listener, announce)
    else:
        _serve_together(config, listener, announce)
    _log.info("Stopped.")


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine can reach a host; a name other than localhost may be any."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def with_spool(settings: Settings) -> Settings:
    """Return the settings of a server, which spools entries during an outage of PostgreSQL unless set otherwise."""
    return replace(settings, spool=settings.database_url is not None) if settings.spool is None else settings


def _per_worker(settings: Settings, workers: int) -> Settings:
    """Return the settings of one worker, with its part of the server's rate limit."""
    return replace(settings, rate_limit=settings.rate_limit / workers)


async def _check_memory(settings: Settings, host: str, *, loopback: bool) -> StoreUnavailable | None:
    """Open the memory once, so that an error in it is reported before any worker starts; require a key beyond loopback.

    Return the outage if the keys cannot be read: the server may start, since it lets nobody in without one.
    """
    async with open_services(replace(settings, spool=False), jobs=False) as services:
        try:
            has_key = loopback or await services.keys.any()
        except StoreUnavailable as exc:
            return exc
        if not has_key:
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
        # The caller is the peer: a proxy passes on the callers' keys.
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
    """Print the link that signs in to the console; it is never logged, and browsers send no fragment."""
    link = f"{address}/#token={token}"
    line = json.dumps({"console": link}) if as_json else f"Open the console as a reviewer: {link}"
    # Without a reader of standard output the server runs all the same.
    with suppress(OSError, ValueError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


class Server(uvicorn.Server):
    """One process, which announces when it is ready."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Start, and announce it."""
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
    """Stop normally at a signal: uvicorn would raise the signal again after it has stopped."""

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
    """Return the signal of a closed terminal, unless it is ignored, as under `nohup`."""
    if not hasattr(signal, "SIGHUP") or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return []
    return [signal.SIGHUP]


class Workers(Multiprocess):
    """Worker processes: replaces dead ones, and announces when the first ones are ready."""

    def __init__(self, config: uvicorn.Config, listener: socket, announce: Callable[[], None]) -> None:
        super().__init__(config, [listener])
        self._announce = announce

    def init_processes(self) -> None:
        """Start the workers, and announce it when they serve."""
        super().init_processes()
        if all(process.wait_until_ready(START_SECONDS, self.should_exit) for process in self.processes):
            self._announce()

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died."""
        for pid in self._gone(super().keep_subprocess_alive):
            _log.warning("A worker died, process %s. Another one takes its place.", pid)

    def restart_all(self) -> None:
        """Replace all workers, one after the other."""
        for pid in self._gone(super().restart_all):
            _log.info("Process %s has made way for a new worker.", pid)

    def _gone(self, change: Callable[[], None]) -> set[int | None]:
        """Make a change that may end workers; forget the metrics of those that ended, and return their ids."""
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
