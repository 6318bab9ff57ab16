"""Record real meetings as one week of one project, turn by turn, as agents would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.reading import lines

from memsieve import Memory
from memsieve.config import Settings
from memsieve.testing import Clock

WEEK = timedelta(days=7)
MONDAY = datetime(2026, 11, 9, 8, tzinfo=UTC)


class Turn(NamedTuple):
    """What somebody said in a meeting; `part` is the finest group that the data knows."""

    meeting: str
    part: str
    speaker: str
    content: str


def qmsum(data: Path) -> list[Turn]:
    """Return the turns of 35 English meetings."""
    return [
        Turn(meeting["meeting"], meeting["meeting"], turn["speaker"], turn["content"])
        for meeting in lines(data / "qmsum_val.jsonl")
        for turn in meeting["turns"]
        if turn["content"].strip()
    ]


def vcsum(data: Path) -> list[Turn]:
    """Return the turns of Chinese meetings, which are given in 135 parts."""
    return [
        Turn(str(part["av_num"]), part["id"], f"speaker {speaker}", "".join(sentences))
        for part in lines(data / "vcsum_dev.jsonl")
        for speaker, sentences in zip(part["speaker"], part["context"], strict=True)
        if "".join(sentences).strip()
    ]


def recorded(folder: Path, project_id: str, turns: Sequence[Turn], settings: Settings) -> None:
    """Record a week of turns."""
    clock = Clock(MONDAY)
    with Memory.open(folder, settings=settings, clock=clock) as memory:
        project = memory.project(project_id)
        for moment, turn in zip(_moments(len(turns)), turns, strict=True):
            clock.now = moment
            project.record(turn.content, session_id=turn.meeting, agent_id=turn.speaker)


def _moments(count: int) -> Iterator[datetime]:
    return (MONDAY + WEEK * number / (count + 1) for number in range(count))
