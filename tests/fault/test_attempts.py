"""An entry whose checks take the process with them does not do so for ever."""

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from memsieve.config import Settings
from memsieve.embedded import AsyncMaintenance, EmbeddedProject
from memsieve.errors import JudgeError
from memsieve.ingress.admission import MAX_ATTEMPTS
from memsieve.model import Decision, Receipt, Scope
from memsieve.models.judges import LocalJudge
from memsieve.services.container import Services, open_services

pytestmark = pytest.mark.usefixtures("small_embedder")
POISON = "Service alpha of region beta answers to team gamma about matter delta."
HONEST = "The office in Berlin moves to the new building by the river in the second week of May."
SYSTEM = Scope.system("apollo")
# A process that tries again what waits, in which the judge dies of one text.
CHILD = """
import asyncio, os, sys
from pathlib import Path
from memsieve.services.container import open_services
from memsieve.config import Settings
from memsieve.models.judges import LocalJudge
from memsieve.model import Role, Scope

judge = LocalJudge.consistent

async def deadly(self, content):
    if content.startswith("Service alpha"):
        os._exit(9)
    return await judge(self, content)

LocalJudge.consistent = deadly

async def main():
    async with open_services(Settings(data=Path(sys.argv[1])), jobs=False) as opened:
        await opened.ingress.retry(Scope.system("apollo"), automatic=True)

asyncio.run(main())
"""


class Crash(Exception):
    """Something nobody foresaw."""


async def record_undecided(opened: Services, monkeypatch, *texts: str) -> None:
    """Record what the judge then dies of."""

    async def crash(_judge: object, _content: str) -> None:
        raise Crash

    with monkeypatch.context() as broken:
        broken.setattr(LocalJudge, "consistent", crash)
        for text in texts:
            with suppress(Crash):
                await EmbeddedProject(opened, "apollo").record(text, session_id="s1", confidence=0.9)


async def read(opened: Services, text: str = POISON) -> Receipt:
    return next(
        one
        for one in await EmbeddedProject(opened, "apollo").review(by="ada@example.org").log()
        if one.entry.content == text
    )


async def retry_automatically(opened: Services) -> None:
    with suppress(Crash):
        await opened.ingress.retry(SYSTEM, automatic=True)


def test_an_entry_that_kills_the_process_is_left_alone_after_five_times(data: Path, monkeypatch):
    async def scenario(scene):
        async with open_services(Settings(data=data), jobs=False) as opened:
            return await scene(opened)

    async def begin(opened: Services) -> None:
        await record_undecided(opened, monkeypatch, POISON, HONEST)

    async def look(opened: Services) -> list[Receipt]:
        return [await read(opened), await read(opened, HONEST)]

    asyncio.run(scenario(begin))
    codes = [_child(data) for _ in range(MAX_ATTEMPTS + 1)]
    assert codes == [9] * MAX_ATTEMPTS + [0]
    poison, honest = asyncio.run(scenario(look))
    assert poison.admission.decision is Decision.PENDING
    assert "memsieve retry" in poison.admission.reasons[0].sentence()
    assert honest.admission.admitted


def test_a_person_may_ask_for_an_entry_that_is_left_alone(data: Path, monkeypatch, run, caplog):
    async def scenario():
        async with open_services(Settings(data=data), jobs=False) as opened:
            await record_undecided(opened, monkeypatch, POISON)
            with monkeypatch.context() as broken:
                broken.setattr(LocalJudge, "consistent", _crash)
                for _ in range(MAX_ATTEMPTS + 3):
                    await retry_automatically(opened)
            assert (await read(opened)).admission.checks[0].score == MAX_ATTEMPTS
            assert await opened.ingress.retry(SYSTEM, automatic=True) == []
            [receipt] = await AsyncMaintenance(opened, "apollo").retry()
            return receipt

    assert run(scenario()).admission.admitted
    assert caplog.text.count("is tried for the last time") == 1


def test_tries_that_end_are_not_counted_together(data: Path, monkeypatch, run):
    async def fail(_judge: object, _content: str) -> None:
        raise JudgeError("No verdict.")

    async def scenario():
        async with open_services(Settings(data=data), jobs=False) as opened:
            await record_undecided(opened, monkeypatch, POISON)
            with monkeypatch.context() as broken:
                broken.setattr(LocalJudge, "consistent", fail)
                for _ in range(MAX_ATTEMPTS + 3):
                    [receipt] = await opened.ingress.retry(SYSTEM, automatic=True)
                    assert [check.name for check in receipt.admission.checks] == ["consistency"]
            return await opened.ingress.retry(SYSTEM, automatic=True)

    [receipt] = run(scenario())
    assert receipt.admission.admitted


def test_who_is_told_to_stop_in_the_midst_of_a_try_does_not_count_it(data: Path, monkeypatch, run):
    async def scenario():
        async with open_services(Settings(data=data), jobs=False) as opened:
            await record_undecided(opened, monkeypatch, POISON)
            begun = asyncio.Event()

            async def hang(_judge: object, _content: str) -> None:
                begun.set()
                await asyncio.Event().wait()

            with monkeypatch.context() as broken:
                broken.setattr(LocalJudge, "consistent", hang)
                trying = asyncio.create_task(opened.ingress.retry(SYSTEM, automatic=True))
                await begun.wait()
                assert (await read(opened)).admission.checks[0].score == 1
                trying.cancel()
                await asyncio.wait([trying])
            return (await read(opened)).admission

    admission = run(scenario())
    assert (admission.decision, admission.checks[0].score) == (Decision.PENDING, 0)


def test_an_entry_that_somebody_decided_on_meanwhile_stays_decided(data: Path, monkeypatch, run):
    async def scenario():
        async with open_services(Settings(data=data), jobs=False) as opened:
            await record_undecided(opened, monkeypatch, POISON)
            stale = await opened.quarantine.find(SYSTEM, _pending())
            await AsyncMaintenance(opened, "apollo").retry()

            async def find(_scope: object, wanted: object) -> list[Receipt]:
                return stale if wanted == _pending() else []

            monkeypatch.setattr(opened.ingress, "quarantine", _Finding(opened.quarantine, find))
            assert await opened.ingress.retry(SYSTEM, automatic=True) == []
            return (await read(opened)).admission

    assert run(scenario()).admitted


class _Finding:
    """A quarantine store that finds what it is told to."""

    def __init__(self, store: object, find: object) -> None:
        self._store = store
        self.find = find

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def _pending():
    from memsieve.model import EntryFilter

    return replace(EntryFilter(), decision=Decision.PENDING, oldest_first=True, limit=100)


async def _crash(_judge: object, _content: str) -> None:
    raise Crash


def _child(data: Path) -> int:
    command = [sys.executable, "-c", CHILD, str(data)]
    return subprocess.run(command, check=False, timeout=60, env=dict(os.environ)).returncode
