"""Public talk with questions whose answers are known: LoCoMo, QMSum and VCSum."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.reading import grouped, lines
from benchmarks.systems.base import Said

ADVERSARIAL = 5
# So many characters of a Chinese meeting make one memory.
PASSAGE = 250


@dataclass(frozen=True)
class Question:
    """A question with the texts that answer it."""

    text: str
    evidence: frozenset[str]
    adversarial: bool = False


@dataclass(frozen=True)
class Talk:
    """What was said in one project, in order, and what is asked about it."""

    project: str
    said: list[Said]
    questions: list[Question]


def locomo(data: Path) -> list[Talk]:
    """Return each conversation, with its questions that name turns of it."""
    return [_conversation(read) for read in json.loads((data / "locomo_dev.json").read_text("utf-8"))]


def qmsum(data: Path) -> list[Talk]:
    """Return each meeting, with its queries and all turns of their spans."""
    return [_meeting(number, read) for number, read in enumerate(lines(data / "qmsum_val.jsonl"))]


def vcsum(data: Path, *, highlights: bool) -> list[Talk]:
    """Return all Chinese meetings as one project; the topic of each part is asked for, or its longest highlight."""
    said: list[Said] = []
    questions = []
    for part in lines(data / "vcsum_dev.jsonl"):
        passages = list(grouped((sentence for turn in part["context"] for sentence in turn), PASSAGE))
        said += [Said(text=passage, session=f"meeting-{part['av_num']}") for passage in passages]
        asked = max(_highlights(part), key=len) if highlights else part["agenda"]
        questions.append(Question(asked, frozenset(passages)))
    return [Talk("meetings", said, questions)]


def _conversation(read: dict[str, Any]) -> Talk:
    said, places = [], {}
    for session in read["sessions"]:
        for turn in session["turns"]:
            text = f"{turn['speaker']}: {turn['text']}"
            places[_places(turn["dia_id"])[0]] = text
            said.append(Said(text=text, session=f"session-{session['session']}", agent=turn["speaker"]))
    questions = []
    for question in read["questions"]:
        named = (place for text in question["evidence"] for place in _places(text))
        evidence = frozenset(places[place] for place in named if place in places)
        if evidence:
            questions.append(Question(question["question"], evidence, question["category"] == ADVERSARIAL))
    return Talk(read["sample_id"], said, questions)


def _meeting(number: int, read: dict[str, Any]) -> Talk:
    texts = [f"{turn['speaker']}: {turn['content']}" for turn in read["turns"]]
    agents = [turn["speaker"] for turn in read["turns"]]
    said = [Said(text=text, session="meeting", agent=agent) for text, agent in zip(texts, agents, strict=True)]
    questions = [
        Question(
            asked["query"],
            frozenset(text for first, last in asked["spans"] for text in texts[int(first) : int(last) + 1]),
        )
        for asked in read["queries"]
    ]
    return Talk(f"meeting-{number}", said, questions)


def _highlights(part: dict[str, Any]) -> Iterator[str]:
    """Find the runs of characters that people marked."""
    for turn, marks in zip(part["context"], part["highlights"], strict=True):
        for sentence, marked in zip(turn, marks, strict=True):
            for mark, run in groupby(zip(sentence, marked, strict=True), key=lambda pair: pair[1]):
                if mark:
                    yield "".join(character for character, _ in run)


def _places(text: str) -> list[tuple[int, int]]:
    return [(int(session), int(turn)) for session, turn in re.findall(r"D:?(\d+):(\d+)", text)]
