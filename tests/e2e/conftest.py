"""Fixtures of the command line: commands for programs, and commands at a terminal."""

import json
import os
import pty
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from memsieve.cli.app import app

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."


class Cli:
    """Runs commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def at(self, data: Path) -> "Cli":
        """Return the same for another folder."""
        return Cli(data)

    def run(self, *arguments: str, code: int = 0, stdin: bytes | str | None = None):
        result = CliRunner().invoke(app, [*arguments, "--data", str(self.data)], input=stdin)
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, code=code).stdout)

    def refused(self, *arguments: str, code: int) -> str:
        result = self.run(*arguments, code=code)
        assert result.stdout == ""
        return result.stderr

    def record(self, text: str = DECISION, *options: str) -> Any:
        return self.json("record", "--project", "apollo", *options, text)


@pytest.fixture
def cli(data: Path, small_embedder: object) -> Cli:
    return Cli(data)


@pytest.fixture(params=[80, 120])
def on_terminal(request, monkeypatch, data, small_embedder) -> Callable[..., str]:
    """Run a command with standard output and standard error on a terminal; return what it shows."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(*arguments: str, code: int = 0) -> str:
        reader, terminal = pty.openpty()
        seen: list[bytes] = []
        reading = threading.Thread(target=_drain, args=(reader, seen))
        reading.start()
        with open(terminal, "w", encoding="utf-8") as screen, monkeypatch.context() as patch:  # noqa: PTH123 - a descriptor
            patch.setattr(sys, "stdout", screen)
            patch.setattr(sys, "stderr", screen)
            with pytest.raises(SystemExit) as exit_:
                get_command(app).main([*arguments, "--data", str(data)], "memsieve")
        reading.join()
        os.close(reader)
        assert (exit_.value.code or 0) == code
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", b"".join(seen).decode())
        assert max(map(len, shown.splitlines()), default=0) <= request.param
        return shown

    return run


def _drain(reader: int, seen: list[bytes]) -> None:
    # A terminal that its last writer closed reads as an error on Linux.
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:
            return
        if not piece:
            return
        seen.append(piece)
