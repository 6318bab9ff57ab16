"""Whether a digest picks what people would: the highlights of meetings, and what a reader of agent runs would keep.

The insights of agent runs were read and marked one by one; `insight_marks.tsv` keeps the marks, by digest.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.reading import lines
from benchmarks.report import Column, Report
from benchmarks.weeks import MONDAY, Turn, recorded

from memsieve import Memory
from memsieve.config import Settings
from memsieve.digest.statements import statements
from memsieve.digest.window import LEAST_CLARITY
from memsieve.testing import Clock
from memsieve.text.tokenize import tokenize

MARKS = Path(__file__).parent / "insight_marks.tsv"
TRACES = Path("train", "agent_traces.jsonl.xz")
SHARE, COUNT = "{:.1%}", "{:,}"
# A pick counts as highlighted when at least half of its characters are.
HIGHLIGHTED = 0.5
# The runs whose insights were read: so many of each source, evenly spread; and how much of them is one project.
RUNS = {"Who&When": 8, "tau-bench airline": 6, "trail GAIA": 6}
DAMPING, ROUNDS = 0.85, 60
NOTE = (
    "One digest for each meeting, or for each part of one. A pick counts when annotators highlighted half of it or "
    "more. LexRank picks as many, from the statements that the digest chooses from."
)
READ = (
    "One digest for each run. Useful is what a reader who was not there would keep as knowledge for other work; all "
    "were read, and marked before they were counted."
)


class Run(NamedTuple):
    """One run of agents."""

    source: str
    name: str
    turns: Sequence[Turn]


def main(data: Path) -> Report:
    """Print the shares of insights that people would pick, too."""
    report = Report("insights")
    _highlights(report, data)
    _runs(report, data)
    return report


def _highlights(report: Report, data: Path) -> None:
    parts = lines(data / "vcsum_dev.jsonl")
    meetings: dict[str, list[Mapping[str, Any]]] = {}
    for part in parts:
        meetings.setdefault(str(part["av_num"]), []).append(part)
    groups = {
        "whole meetings": list(meetings.values()),
        "parts, even": [[part] for part in parts[::2]],
        "parts, odd": [[part] for part in parts[1::2]],
    }
    rows = []
    for name, talks in groups.items():
        picked, ranked, base = list[float](), list[float](), list[float]()
        for number, talk in enumerate(talks):
            report.progress(f"VCSum, {name}: {number + 1} of {len(talks)}")
            text, marks = _marked(talk)
            turns = [turn for part in talk for turn in _turns(part)]
            shares = [_share(pick, text, marks) for pick in insights(turns)]
            picked += shares
            ranked += [_share(pick, text, marks) for pick in lexrank(_candidates(turns), len(shares))]
            base += [_share(sentence, text, marks) for part in talk for turn in part["context"] for sentence in turn]
        rows.append((name, len(talks), len(picked), *(_highlighted(each) for each in (picked, ranked, base))))
    columns = [Column("VCSum"), Column("digests"), Column("picks", COUNT)]
    columns += [Column(name, SHARE) for name in ("memsieve", "LexRank", "all sentences")]
    report.table("Picks that annotators highlighted", columns, rows, NOTE)


def _turns(part: Mapping[str, Any]) -> Iterator[Turn]:
    for speaker, sentences in zip(part["speaker"], part["context"], strict=True):
        if content := "".join(sentences).strip():
            yield Turn(str(part["av_num"]), str(part["id"]), f"speaker {speaker}", content)


def _marked(talk: Iterable[Mapping[str, Any]]) -> tuple[str, np.ndarray]:
    """Return all that is said, without space, and whether each character is highlighted."""
    signs = [
        (sign, flag)
        for part in talk
        for sentences, shown in zip(part["context"], part["highlights"], strict=True)
        for sentence, flags in zip(sentences, shown, strict=True)
        for sign, flag in zip(sentence, flags, strict=True)
        if not sign.isspace()
    ]
    return "".join(sign for sign, _ in signs), np.array([flag for _, flag in signs])


def _share(pick: str, text: str, marks: np.ndarray) -> float:
    plain = "".join(pick.split())
    at = text.find(plain)
    return float(marks[at : at + len(plain)].mean()) if plain and at >= 0 else 0.0


def _highlighted(shares: Sequence[float]) -> float:
    return float(np.mean(np.array(shares) >= HIGHLIGHTED))


def insights(turns: Sequence[Turn]) -> list[str]:
    """Return the summaries of a digest of turns, the first one first."""
    settings = Settings(digest_day="never")
    with tempfile.TemporaryDirectory() as folder:
        recorded(Path(folder), "runs", turns, settings)
        with Memory.open(folder, settings=settings, clock=Clock(MONDAY)) as memory:
            digest = memory.project("runs").review(by="reader@example.org").digest(days=30)
            return [insight.summary for insight in digest.insights]


def _candidates(turns: Iterable[Turn]) -> list[str]:
    found = (each for turn in turns for each in statements(turn.content) if each.clarity >= LEAST_CLARITY)
    return [*dict.fromkeys(each.text for each in found)]


def lexrank(texts: Sequence[str], most: int) -> list[str]:
    """Return the texts most central to all (Erkan and Radev, 2004): the walk goes from text to text by shared words."""
    if len(texts) <= most:
        return list(texts)
    words = [tokenize(text) for text in texts]
    known = {word: place for place, word in enumerate(sorted({word for each in words for word in each}))}
    counts = np.zeros((len(texts), len(known)))
    for row, each in zip(counts, words, strict=True):
        for word in each:
            row[known[word]] += 1
    weighed = counts * np.log(len(texts) / (counts > 0).sum(axis=0))
    weighed /= np.maximum(np.linalg.norm(weighed, axis=1, keepdims=True), 1e-9)
    near = weighed @ weighed.T
    steps = near / np.maximum(near.sum(axis=1, keepdims=True), 1e-9)
    rank = np.full(len(texts), 1 / len(texts))
    for _ in range(ROUNDS):
        rank = (1 - DAMPING) / len(texts) + DAMPING * rank @ steps
    return [texts[number] for number in np.argsort(-rank)[:most]]


def _runs(report: Report, data: Path) -> None:
    marks = _marks()
    rows = []
    for source, count in RUNS.items():
        picks = list[str]()
        for run in chosen_runs(data, source):
            report.progress(f"{source}: {run.name}")
            picks += insights(run.turns)
        found = [marks.get(digest_of(pick)) for pick in picks]
        useful = sum(mark == "useful" for mark in found)
        rows.append((source, count, len(picks), found.count(None), useful, useful / max(1, len(found))))
    if rows:
        columns = [Column("runs of"), Column("runs"), Column("insights", COUNT), Column("not yet marked")]
        report.table("Insights of agent runs", [*columns, Column("useful"), Column("share", SHARE)], rows, READ)


def chosen_runs(data: Path, source: str) -> list[Run]:
    """Return the runs of a source that were read, spread over those whose passages the model of worth never saw."""
    some = [run for run in runs(data) if run.source == source][1::2]
    return some[:: max(1, len(some) // RUNS[source])][: RUNS[source]]


def runs(data: Path) -> list[Run]:
    """Return runs of agents: those of Who&When, and traces where they are at hand, halved as in `tools.train_worth`."""
    found = [_who_and_when(run) for run in lines(data / "who_and_when_dev.jsonl")]
    path = data.parent / TRACES
    if not path.exists():
        return found
    traces: dict[tuple[str, str], list[Turn]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as records:
        for trace in map(json.loads, records):
            if trace["content"].strip():
                session = trace["session"]
                turn = Turn(session, session, trace["role"], trace["content"])
                traces.setdefault((trace["source"], session), []).append(turn)
    return [*found, *(Run(source, session, turns) for (source, session), turns in sorted(traces.items()))]


def _who_and_when(run: Mapping[str, Any]) -> Run:
    said = [turn for turn in run["messages"] if turn["content"].strip()]
    return Run(
        "Who&When", run["run"], [Turn(run["run"], run["run"], turn["agent"] or "?", turn["content"]) for turn in said]
    )


def digest_of(text: str) -> str:
    """Return the name of an insight in the file of marks."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _marks() -> dict[str, str]:
    if not MARKS.exists():
        return {}
    return dict(line.split("\t")[:2] for line in MARKS.read_text("utf-8").splitlines())  # type: ignore[misc]
