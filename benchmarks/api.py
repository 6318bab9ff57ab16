"""The HTTP door: how much longer a query takes than the same call in process."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks.invented import Inventor
from rich.console import Console
from rich.table import Table

from memsieve.client import AsyncClient
from memsieve.memory import AsyncMemory
from memsieve.model import KeyRole
from memsieve.testing import ServedMemory

MEMORIES = 1_000
QUESTIONS = 100
ROUNDS = 5
PROJECT = "one"

Ask = Callable[[str], Awaitable[object]]


class Bare:
    """One connection that is kept, and as little as can be between it and the socket."""

    def __init__(self, port: int, key: str | None = None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"

    async def ask(self, question: str) -> object:
        body = json.dumps({"project_id": PROJECT, "query": question})
        self._connection.request("POST", "/api/v1/memory/query", body, self._headers)
        answer = self._connection.getresponse()
        found = json.loads(answer.read())
        assert answer.status == http.HTTPStatus.OK, found
        return found


def main(_: Path) -> None:
    with TemporaryDirectory() as folder:
        Console(width=130).print(asyncio.run(_measured(Path(folder))))


async def _measured(folder: Path) -> Table:
    inventor = Inventor(3)
    texts = inventor.texts(MEMORIES)
    questions = [question.content for question in inventor.questions(texts, QUESTIONS)]
    async with AsyncMemory.open(folder) as memory:
        project = memory.project(PROJECT)
        await project.promote_texts([text.content for text in texts], by="benchmark")
        _, key = await memory.keys.make(name="bench", role=KeyRole.AGENT, project_id=PROJECT, by="benchmark")
        with ServedMemory(folder) as server:
            async with AsyncClient(server.url) as client:
                ways: dict[str, Ask] = {
                    "in process": project.retrieve,
                    "HTTP, without a key": Bare(server.port).ask,
                    "HTTP, with a key": Bare(server.port, key).ask,
                    "memsieve.client": client.project(PROJECT).retrieve,
                }
                return _table(await _in_turns(ways, questions))


async def _in_turns(ways: dict[str, Ask], questions: list[str]) -> dict[str, list[float]]:
    """Ask in turns, so that a busy moment of the machine meets all alike; the first round is there to get warm."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(ROUNDS + 1):
        for question in questions:
            for name, ask in ways.items():
                began = time.perf_counter()
                await ask(question)
                times[name].extend([time.perf_counter() - began] * (number > 0))
    return times


def _table(times: dict[str, list[float]]) -> Table:
    title = f"A query over {MEMORIES:,} memories on SQLite, embedding included"
    table = Table(title=title, title_justify="left")
    for column in ("asked", "p50", "p95", "more than in process", "aim"):
        table.add_column(column, justify="left" if column == "asked" else "right")
    least = median(times["in process"])
    for name, each in times.items():
        over = "" if name == "in process" else _ms(median(each) - least)
        table.add_row(
            name, _ms(median(each)), _ms(quantiles(each, n=20)[-1]), over, "≤ 2 ms" if name.startswith("HTTP") else ""
        )
    return table


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
