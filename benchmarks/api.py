"""The HTTP door: how much longer a query takes than the same call in process."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import uvloop
from benchmarks.invented import Inventor
from benchmarks.report import Column, Report, Value

from memsieve.client import AsyncClient
from memsieve.memory import AsyncMemory
from memsieve.model import KeyRole
from memsieve.testing import ServedMemory

MEMORIES = 1_000
QUESTIONS = 100
ROUNDS = 5
PROJECT = "one"
MOST_BYTES = 2**20
LENGTH = re.compile(rb"content-length: (\d+)")
IN_PROCESS = "in process"
TIMES = [Column(name, "{:.2f} ms") for name in ("p50", "p95", f"more than {IN_PROCESS}")]

Ask = Callable[[str], Awaitable[object]]


class Bare:
    """One connection that is kept, and nothing of a client but its socket: what that takes is not the server's."""

    def __init__(self, port: int, key: str | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        credential = "" if key is None else f"Authorization: Bearer {key}\r\n"
        host = f"Host: 127.0.0.1:{port}\r\n"
        self._head = f"POST /api/v1/memory/query HTTP/1.1\r\n{host}Content-Type: application/json\r\n{credential}"

    async def ask(self, question: str) -> object:
        body = json.dumps({"project_id": PROJECT, "query": question})
        self._socket.sendall(f"{self._head}Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii"))
        answer = b""
        while not _is_whole(answer):
            piece = self._socket.recv(MOST_BYTES)
            assert piece, answer
            answer += piece
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        return answer


def _is_whole(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    length = LENGTH.search(head)
    return length is not None and len(body) == int(length[1])


def main(_: Path) -> Report:
    """Print one table."""
    report = Report("api")
    with TemporaryDirectory() as folder:
        # As the server does, so that both are measured on the same event loop.
        times = uvloop.run(_measured(Path(folder)))
    title = f"A query over {MEMORIES:,} memories on SQLite, embedding included"
    report.table(title, [Column("asked"), *TIMES, Column("aim")], _rows(times))
    return report


async def _measured(folder: Path) -> dict[str, list[float]]:
    inventor = Inventor(3)
    texts = inventor.texts(MEMORIES)
    questions = [question.content for question in inventor.questions(texts, QUESTIONS)]
    async with AsyncMemory.open(folder) as memory:
        project = memory.project(PROJECT)
        await memory.maintenance(PROJECT).import_texts([text.content for text in texts], by="benchmark")
        _, key = await memory.keys.make(name="bench", role=KeyRole.AGENT, project_id=PROJECT, by="benchmark")
        with ServedMemory(folder) as server:
            async with AsyncClient(server.url) as client:
                ways: dict[str, Ask] = {
                    IN_PROCESS: project.retrieve,
                    "HTTP, without a key": Bare(server.port).ask,
                    "HTTP, with a key": Bare(server.port, key).ask,
                    "memsieve.client": client.project(PROJECT).retrieve,
                }
                return await _in_turns(ways, questions)


async def _in_turns(ways: dict[str, Ask], questions: list[str]) -> dict[str, list[float]]:
    """Ask in turns, so that a busy moment of the machine meets all alike; the first round is there to get warm.

    Who comes after whom is left to chance: what one leaves in the processor's caches is the next one's gain or loss.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    turns, chance = list(ways.items()), Random(3)
    for number in range(ROUNDS + 1):
        for question in questions:
            chance.shuffle(turns)
            for name, ask in turns:
                began = time.perf_counter()
                await ask(question)
                times[name].extend([time.perf_counter() - began] * (number > 0))
    return times


def _rows(times: dict[str, list[float]]) -> Iterator[tuple[Value, ...]]:
    least = median(times[IN_PROCESS])
    for name, each in times.items():
        over = None if name == IN_PROCESS else 1000 * (median(each) - least)
        aim = "≤ 2 ms" if name.startswith("HTTP") else ""
        yield name, 1000 * median(each), 1000 * quantiles(each, n=20)[-1], over, aim
