"""`memsieve serve` as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import httpx

from memsieve.errors import StoreUnavailable
from memsieve.testing.server import wait_until

if TYPE_CHECKING:
    import psutil

SECONDS = 60


class ServedMemory:
    """A server on a data folder, at a port that was free; `log` is what it wrote, a line of JSON each."""

    def __init__(self, data: Path, *options: str, environment: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "memsieve", "serve", "--port", "0", "--data", str(data), *options]
        # Into a file: whoever measures should not be woken by every line.
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
        """What it said when it was ready."""
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
        return httpx.Client(base_url=self.url, headers=headers, timeout=SECONDS)

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
        return self.process.wait(SECONDS)
