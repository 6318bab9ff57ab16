"""A server that a test starts, stops and kills, and that never outlives the process that started it."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, ClassVar, Self, cast

from memsieve.testing import watcher

PATIENCE = 30.0
NOT_STARTED = "The server was not started: call start() or use it as a context manager."


class Server:
    """One process with a folder of its own; an engine says how it is made, started and asked whether it is ready.

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
        """All that the server has said."""
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
            raise RuntimeError(f"{type(self).__name__} ended while it was starting. It said:\n{self.log}")
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


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something holds that must come soon."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"It did not come about within {PATIENCE:.0f} seconds.")
        time.sleep(0.01)


def installed(package: str) -> Path:
    """Return the folder of a package that carries a server, without the warnings and settings of its import."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            f"The server for tests is missing: pip install {package.replace('_', '-')}", name=package
        )
    return Path(spec.origin).parent
