"""Recall of memsieve against each of its two legs alone, same texts, same vectors, one run: English and Chinese."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.reading import grouped, lines
from rich.console import Console
from rich.table import Table

from memsieve import Memory
from memsieve.embedders.local import LocalEmbedder
from memsieve.model import Vector
from memsieve.retrieval.index import Index, Match, Row
from memsieve.retrieval.words import cut

ADVERSARIAL = 5
# So many characters of a meeting make one memory.
PASSAGE = 250
TOP = (5, 10, 25)
# What `fuse.VECTOR_WEIGHT` was chosen from.
WEIGHTS = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


@dataclass(frozen=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: int
    evidence: frozenset[int]


# An answer in the first k, or the share of the evidence in them.
Recall = Callable[[Question, list[int]], float]


def main(data: Path) -> None:
    """Print both tables."""
    console = Console(width=110)
    conversations = [_read(talk) for talk in json.loads((data / "locomo_dev.json").read_text("utf-8"))]
    title = "LoCoMo dev: evidence recall over promoted turns, {} questions (in brackets: without adversarial)"
    _measure(console, title, conversations, _share)
    title = "VCSum dev: {} topics of Chinese meetings, a passage of the right part among the first"
    _measure(console, title, [_read_meetings(data)], _any)


def _measure(console: Console, title: str, sets: list[tuple[list[str], list[Question]]], recall: Recall) -> None:
    recalls: dict[str, dict[int, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for number, (texts, questions) in enumerate(sets, 1):
        console.print(f"{title.split(' ', maxsplit=1)[0]}: {number} of {len(sets)} …", end="\r")
        for name, ranked in _rankings(texts, questions).items():
            for question, order in zip(questions, ranked, strict=True):
                for top in TOP:
                    recalls[name][top].append((question.category, recall(question, order[:top])))
    _print(console, title, recalls)


def _share(question: Question, found: list[int]) -> float:
    return len(question.evidence.intersection(found)) / len(question.evidence)


def _any(question: Question, found: list[int]) -> float:
    return float(not question.evidence.isdisjoint(found))


def _read(conversation: dict[str, Any]) -> tuple[list[str], list[Question]]:
    turns, places = [], {}
    for session in conversation["sessions"]:
        for turn in session["turns"]:
            places[_place(turn["dia_id"])[0]] = len(turns)
            turns.append(f"{turn['speaker']}: {turn['text']}")
    questions = []
    for question in conversation["questions"]:
        named = (place for text in question["evidence"] for place in _place(text))
        evidence = frozenset(places[place] for place in named if place in places)
        if evidence:
            questions.append(Question(question["question"], question["category"], evidence))
    return turns, questions


def _read_meetings(data: Path) -> tuple[list[str], list[Question]]:
    """Return the passages of all meetings, and each part's topic as the question for its passages."""
    passages: list[str] = []
    questions = []
    for part in lines(data / "vcsum_dev.jsonl"):
        first = len(passages)
        passages += grouped((sentence for turn in part["context"] for sentence in turn), PASSAGE)
        questions.append(Question(part["agenda"], 0, frozenset(range(first, len(passages)))))
    return passages, questions


def _place(text: str) -> list[tuple[int, int]]:
    return [(int(session), int(turn)) for session, turn in re.findall(r"D:?(\d+):(\d+)", text)]


def _rankings(turns: list[str], questions: list[Question]) -> dict[str, list[list[int]]]:
    embedder = LocalEmbedder()
    vectors = asyncio.run(embedder.embed(turns))
    asked = asyncio.run(embedder.embed([question.text for question in questions]))
    now = datetime.now(UTC)
    index = Index(Row(words=cut(turn), vector=vector, at=now) for turn, vector in zip(turns, vectors, strict=True))
    weighed = {
        f"vector weight {weight:.2f}": [
            _leg(index, vector, cut(question.text), partial(_weighed, weight))
            for vector, question in zip(asked, questions, strict=True)
        ]
        for weight in WEIGHTS
    }
    return weighed | {
        "vectors alone": [_leg(index, vector, (), _similarity) for vector in asked],
        "words alone (BM25)": [_leg(index, None, cut(question.text), _word_score) for question in questions],
        "memsieve": _memsieve(turns, questions),
    }


def _leg(index: Index, vector: Vector | None, words: tuple[str, ...], score: Callable[[Match], float]) -> list[int]:
    matches = sorted(index.search(vector, words, max(TOP)), key=score, reverse=True)
    return [match.position for match in matches]


def _weighed(weight: float, match: Match) -> float:
    return weight * _similarity(match) + (1 - weight) * match.word_score


def _similarity(match: Match) -> float:
    return match.similarity or 0.0


def _word_score(match: Match) -> float:
    return match.word_score


def _memsieve(turns: list[str], questions: list[Question]) -> list[list[int]]:
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder) as memory:
        project = memory.project("recall")
        places: dict[str, list[int]] = defaultdict(list)
        for place, turn in enumerate(turns):
            places[project.promote_text(turn, by="benchmark").id].append(place)
        orders = []
        for question in questions:
            answer = project.retrieve(question.text, max_results=max(TOP), max_unverified=0)
            found = dict.fromkeys(item.memory_id or "" for item in answer.items)
            orders.append([place for memory_id in found for place in places[memory_id]])
        return orders


def _print(console: Console, title: str, recalls: dict[str, dict[int, list[tuple[int, float]]]]) -> None:
    table = Table(title=title.format(len(recalls["memsieve"][TOP[0]])))
    table.add_column("ranking")
    for top in TOP:
        table.add_column(f"recall@{top}", justify="right")
    for name, by_top in recalls.items():
        table.add_row(name, *(_cell(by_top[top]) for top in TOP))
    console.print(table)


def _cell(scored: list[tuple[int, float]]) -> str:
    everything = np.mean([recall for _, recall in scored])
    answerable = [recall for category, recall in scored if category != ADVERSARIAL]
    return f"{everything:.1%}" + ("" if len(answerable) == len(scored) else f" ({np.mean(answerable):.1%})")
