"""Speed and cost of memsieve beside the peers: the same texts, vectors ready, everybody in turns."""

from __future__ import annotations

import asyncio
import json
import pstats
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from benchmarks.footprint import folder_bytes, installed_bytes
from benchmarks.invented import Inventor, Text
from benchmarks.report import Column, Curve, Report
from benchmarks.scores import exponent, percentiles
from benchmarks.scratch import scratch
from benchmarks.systems.all import installed
from benchmarks.systems.base import Factory, Said, System
from benchmarks.systems.memsieve import PERSON, Memsieve, fill, profile
from benchmarks.systems.names import PACKAGES
from benchmarks.systems.vectors import Vectors

SIZES = (2_000, 20_000)
LARGE = 200_000
# One text at a time, or its search takes more than a second: too slow to be filled further.
SMALL_ONLY = {"mem0"}
PROJECTS = (1, 100, 10_000)
PEERS_PROJECTS = 100
OF_A_PROJECT = 20
ROUNDS = 100
MOST = 5
OURS = "memsieve"
CHECKED = "memsieve, all checks"
# Longer than memsieve takes to decide on what was left for later.
PAUSE = 0.1
# So many functions of a profile.
_SHOWN = 8
_TIMES = [Column(name, "{:,.2f} ms") for name in ("p50", "p95", "p99")]
_RATE = Column("a second", "{:,.0f}")
Times = dict[str, list[float]]
T = TypeVar("T")


class Bench:
    """All systems that are compared, each with a folder of its own."""

    def __init__(self, peers: bool) -> None:
        self.embed = Vectors()
        self.factories: dict[str, Factory] = {OURS: Memsieve, **(installed() if peers else {})}

    def fill(self, folder: Path, projects: Mapping[str, Sequence[Text]], names: Sequence[str]) -> dict[str, float]:
        """Fill systems with projects and close them; return how many texts a second each took in, without the disk."""
        for texts in projects.values():
            self.learn(texts)
        said = {project: sayings(texts) for project, texts in projects.items()}
        count = sum(map(len, said.values()))
        with scratch() as quick:
            rates = {name: count / self.timed(lambda one=name: self._fill(one, quick / one, said))[0] for name in names}
            shutil.copytree(quick, folder, dirs_exist_ok=True)
        return rates

    @contextmanager
    def opened(self, folder: Path, names: Sequence[str]) -> Iterator[dict[str, System]]:
        """Open systems where they were filled."""
        with ExitStack() as stack:
            systems = {}
            for name in names:
                systems[name] = self.factories[name](folder / name, self.embed)
                stack.callback(systems[name].close)
            yield systems

    def learn(self, texts: Sequence[Text]) -> None:
        self.embed.learn([text.content for text in texts], [text.vector for text in texts])

    def timed(self, work: Callable[[], T]) -> tuple[float, T]:
        """Return the seconds of some work, without those of the embedder, and what came of it."""
        embedding, began = self.embed.seconds, time.perf_counter()
        result = work()
        return time.perf_counter() - began - (self.embed.seconds - embedding), result

    def _fill(self, name: str, folder: Path, said: Mapping[str, Sequence[Said]]) -> None:
        if name == OURS:
            asyncio.run(fill(folder, said, self.embed))
            return
        system = self.factories[name](folder, self.embed)
        for project, texts in said.items():
            system.record(project, texts)
        system.close()


def main(_: Path, *, peers: bool = False, full: bool = False) -> Report:
    """Print queries, recording, cost and growth."""
    report, bench = Report("peer_speed"), Bench(peers)
    medians: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for size in (*SIZES, LARGE) if full else SIZES:
        names = [name for name in bench.factories if size < LARGE or name not in SMALL_ONLY]
        for name, seconds in _size(report, bench, size, names).items():
            medians[name].append((float(size), 1000 * percentiles(seconds)[0]))
    _tell_growth(report, medians)
    _tell_projects(report, bench)
    rows = [(name, installed_bytes(PACKAGES[name]) / 1e6) for name in bench.factories]
    report.table("Installed, with all that it needs", [Column("system"), Column("size", "{:,.0f} MB")], rows)
    return report


def sayings(texts: Sequence[Text]) -> list[Said]:
    """Return texts as agents say them, fifty in a session."""
    return [Said(text=text.content, session=f"session-{number // 50}") for number, text in enumerate(texts)]


def _size(report: Report, bench: Bench, size: int, names: Sequence[str]) -> Times:
    """Tell of one size, and return the seconds of its queries."""
    inventor = Inventor(size)
    texts = inventor.texts(size)
    asked, new = inventor.questions(texts, ROUNDS), inventor.texts(2 * ROUNDS)
    bench.learn([*asked, *new])
    report.progress(f"filling {size:,}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rates = bench.fill(folder, {"one": texts}, names)
        costs = {name: _cost(folder / name, name, asked[0].content) for name in names}
        with bench.opened(folder, names) as systems:
            report.progress(f"asking {size:,}")
            queries = _queries(bench, systems, "one", asked)
            alone = {name: _queries(bench, {name: system}, "one", asked)[name] for name, system in systems.items()}
            _tell_queries(report, f"Query over {size:,} memories, embedding taken out", queries, alone)
            report.progress(f"recording into {size:,}")
            recorded = _recorded(bench, systems, sayings(new))
            _tell_recorded(report, f"One text recorded, beside {size:,}, embedding taken out", recorded)
        stats = asyncio.run(profile(folder / OURS, bench.embed, "one", [text.content for text in asked]))
        _tell_profile(report, f"Where memsieve's time goes in a query over {size:,}", stats, len(asked))
    columns = ("first answer of a fresh process", "its memory", "on disk"), ("{:.2f} s", "{:,.0f} MB", "{:,.1f} MB")
    rows = [(name, rates[name], *costs[name]) for name in names]
    report.table(
        f"Filled with {size:,} at once, in a folder in memory",
        [Column("system"), _RATE, *(Column(*one) for one in zip(*columns, strict=True))],
        rows,
    )
    return queries


def _tell_profile(report: Report, title: str, stats: pstats.Stats, queries: int) -> None:
    """Tell which functions take most of the time by themselves; waiting is left out."""
    spent = {f"{Path(file).name} {name}": one[2] for (file, _, name), one in stats.stats.items() if "poll" not in name}
    most = sorted(spent, key=spent.__getitem__, reverse=True)[:_SHOWN]
    whole = sum(spent.values())
    columns = [Column("function"), Column("a query", "{:.2f} ms"), Column("share", "{:.0%}")]
    report.table(title, columns, [(name, 1000 * spent[name] / queries, spent[name] / whole) for name in most])


def _queries(bench: Bench, systems: Mapping[str, System], project: str, asked: Sequence[Text]) -> Times:
    """Ask everybody in turns, so that a busy moment of the machine meets all alike."""
    for system in systems.values():
        system.ask(project, asked[0].content, MOST)
    times: Times = defaultdict(list)
    for question in asked:
        for name, system in systems.items():
            took, _ = bench.timed(lambda one=system, text=question.content: one.ask(project, text, MOST))
            times[name].append(took)
    return times


def _recorded(bench: Bench, systems: Mapping[str, System], new: Sequence[Said]) -> Times:
    """Record in turns; then, alone, what memsieve adds: leaving the decision for later, and promotion."""
    times: Times = defaultdict(list)
    for said in new[:ROUNDS]:
        for name, system in systems.items():
            shown = CHECKED if name == OURS else name
            took, _ = bench.timed(lambda one=system, text=said: one.record("one", [text]))
            times[shown].append(took)
    project = systems[OURS].memory.project("one")
    for said in new[ROUNDS:]:
        took, kept = bench.timed(lambda one=said: project.record(one.text, session_id=one.session, decide="later"))
        times["memsieve, decided later"].append(took)
        time.sleep(PAUSE)
        took, _ = bench.timed(lambda one=kept.entry.id: project.review(by=PERSON).promote(one))
        times["memsieve, a promotion"].append(took)
    return times


def _cost(folder: Path, name: str, question: str) -> tuple[float, float, float]:
    """Return the seconds of a fresh process until it answers, its memory, and the disk in use."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.first_answer", name, str(folder), "one", question]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    assert told["found"], f"{name} found nothing in {folder}"
    return time.perf_counter() - began, told["bytes"] / 1e6, folder_bytes(folder) / 1e6


def _tell_queries(report: Report, title: str, in_turns: Times, alone: Times) -> None:
    """Tell how long queries take in turns, and when one system is asked by itself: then its memory is at hand."""
    ours = percentiles(in_turns[OURS])[0]
    rows = []
    for name, seconds in in_turns.items():
        shares = percentiles(seconds)
        rows.append((name, *(1000 * one for one in shares), shares[0] / ours, 1000 * percentiles(alone[name])[0]))
    columns = [Column("system"), *_TIMES, Column("to memsieve", "{:.2f}"), Column("p50 alone", "{:,.2f} ms")]
    report.table(title, columns, rows)


def _tell_recorded(report: Report, title: str, times: Times) -> None:
    ours = percentiles(times[CHECKED])[0]
    rows = []
    for name, seconds in times.items():
        shares = percentiles(seconds)
        rows.append((name, 1 / shares[0], *(1000 * one for one in shares), shares[0] / ours))
    report.table(title, [Column("system"), _RATE, *_TIMES, Column("to memsieve", "{:.2f}")], rows)


def _tell_growth(report: Report, medians: Mapping[str, list[tuple[float, float]]]) -> None:
    rows = [(name, exponent(points)) for name, points in medians.items()]
    report.table("How the median query grows with the memories", [Column("system"), Column("growth", "n^{:.2f}")], rows)
    title = "A query, embedding taken out"
    report.curve(Curve(name="query", title=title, x="memories", y="median, ms", lines=dict(medians), log=True))


def _tell_projects(report: Report, bench: Bench) -> None:
    """Ask one small project among others."""
    medians: dict[str, dict[int, float]] = defaultdict(dict)
    for count in PROJECTS:
        names = [name for name in bench.factories if name == OURS or count <= PEERS_PROJECTS]
        report.progress(f"filling {count:,} projects")
        inventor = Inventor(count)
        size = OF_A_PROJECT if count <= PEERS_PROJECTS else 2
        projects = {f"p{number}": inventor.texts(size) for number in range(1, count)}
        projects["one"] = inventor.texts(OF_A_PROJECT)
        asked = inventor.questions(projects["one"], ROUNDS)
        bench.learn(asked)
        with tempfile.TemporaryDirectory() as folder:
            bench.fill(Path(folder), projects, names)
            with bench.opened(Path(folder), names) as systems:
                for name, seconds in _queries(bench, systems, "one", asked).items():
                    medians[name][count] = 1000 * percentiles(seconds)[0]
    columns = [Column("system"), *(Column(f"{count:,}", "{:.2f} ms") for count in PROJECTS)]
    rows = [(name, *(by_count.get(count) for count in PROJECTS)) for name, by_count in medians.items()]
    report.table(f"Median query over {OF_A_PROJECT} memories in one of so many projects", columns, rows)
