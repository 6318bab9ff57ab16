"""Fixtures: a clean environment, a clock that obeys, and memories on it."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from memsieve.config import FilterSettings, Settings
from memsieve.sync import Memory
from memsieve.testing import Clock, WordEmbedder


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("MEMSIEVE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def small_embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """Open memories with the small embedder while a test runs."""
    embedder = WordEmbedder()
    monkeypatch.setattr("memsieve.bootstrap._embedder", lambda _settings, _stack: embedder)
    return embedder


@pytest.fixture
def open_memory(data: Path, clock: Clock) -> Iterator[Callable[..., Memory]]:
    """Open memories on the test's folder and clock; settings of the filter are given by name."""
    with ExitStack() as stack:

        def open_(folder: Path = data, *, settings: Settings | None = None, **numbers: Any) -> Memory:
            chosen = settings or Settings(filter=FilterSettings(**numbers))
            return stack.enter_context(Memory.open(folder, settings=chosen, clock=clock))

        yield open_


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()


@pytest.fixture
def run() -> Iterator[Callable[..., Any]]:
    """Run coroutines one after the other on one event loop."""
    with asyncio.Runner() as runner:
        yield runner.run
