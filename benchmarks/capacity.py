"""The servers for a load, computed from measured figures: `python -m benchmarks capacity --help`."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

FILE = Path(__file__).with_name("capacity.json")
GB = 1e9
DAY = 86_400
# Of each core, so much may be busy at the busiest hour, and that hour has so many times the average load.
BUSY = 0.6
PEAK = 3.0
# Room for rows that were changed and not yet swept, and for what vacuum, sorts and a new index need meanwhile.
LOOSE = 1.3
LOG_GB = 8.0
# What lies in memory besides what is searched: connections, the system, and the newest rows of quarantine.
RESERVE_GB = 2.0
NEWEST_DAYS = 1
WORKING_CAP = 50
REDIS_LOOSE = 1.5
REDIS_NODE_GB = 16.0
# All weekly digests are made within so many seconds; a digest embeds so many statements at most.
DIGESTS_WITHIN = 8 * 3600
STATEMENTS = 2_000
MACHINE_CORES = 8
# A server of PostgreSQL with more cores or memory than these is worth dividing.
POSTGRES_CORES = 64
POSTGRES_GB = 512.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is asked of the whole installation."""

    projects: int
    agents: int
    recordings_per_day: float
    queries_per_second: float
    memories: int
    retention_days: float
    entry_bytes: int
    judge: str = "local"

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name != "judge" and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"--{item.name.replace('_', '-')} is {value}; it must be 0 or more.")
        if self.projects == 0 and (self.memories or self.recordings_per_day or self.queries_per_second):
            raise ValueError("--projects is 0, but every recording, query and memory belongs to one.")

    def told(self) -> str:
        """Return the load in words."""
        return (
            f"{self.agents:,} agents in {self.projects:,} projects: {self.recordings_per_day:,.0f} recordings a day, "
            f"kept for {self.retention_days:g} days, {self.queries_per_second:g} queries a second, "
            f"{self.memories:,} memories"
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One result, the formula it comes from and the figures in it."""

    what: str
    value: float
    shown: str
    formula: str


class Model:
    """Computes what a load needs; more load never needs less."""

    def __init__(self, load: Load, figures: Mapping[str, Any]) -> None:
        self.load = load
        self._bytes = figures["bytes"]
        self._text_bytes = figures["text_bytes"]
        self._seconds = figures["processor_seconds"]

    def lines(self) -> list[Line]:
        """Return everything, in the order of buying it."""
        return [*self._serving(), *self._postgres(), *self._disk(), *self._redis(), *self._workers()]

    @property
    def _recordings(self) -> float:
        return self.load.recordings_per_day / DAY * PEAK

    @property
    def _query(self) -> Mapping[str, float]:
        """What a query costs in a project as large as the average one, or in any smaller one that was measured."""
        memories = self.load.memories / max(1, self.load.projects)
        measured = sorted((int(size), cost) for size, cost in self._seconds["query"].items())
        # Through the index a large project may cost less than a smaller one, and not all are as large as the average.
        reached = [cost for size, cost in measured if size <= memories]
        reached += [cost for size, cost in measured if size > memories][:1]
        return {name: max(cost[name] for cost in reached) for name in reached[0]}

    def _serving(self) -> list[Line]:
        load, seconds = self.load, self._seconds
        judging = seconds["judging"] if load.judge == "local" else 0.0
        recording = (seconds["recording"]["serving"], seconds["embedding"], judging)
        asking = (self._query["serving"], seconds["embedding"])
        cores = _whole(self._busy(recording, asking) / BUSY)
        machines = _whole(cores / MACHINE_CORES) + (cores > 0)
        spare = f"{cores} / {MACHINE_CORES}, and one spare"
        return [
            _count("serving: processes, a core each", cores, self._busy_shown(recording, asking)),
            _count(f"serving: machines of {MACHINE_CORES} cores", machines, spare),
        ]

    def _postgres(self) -> list[Line]:
        load, each = self.load, self._bytes["memory_searched"]
        recording, asking = (self._seconds["recording"]["postgres"],), (self._query["postgres"],)
        cores = _whole(self._busy(recording, asking) / BUSY)
        newest = load.recordings_per_day * min(NEWEST_DAYS, load.retention_days)
        memory = (load.memories * each + newest * self._entry) / GB + (RESERVE_GB if load.projects else 0)
        memory_shown = (
            f"{load.memories:,} memories × {each:,} B + {newest:,.0f} entries × {self._entry:,} B + {RESERVE_GB:g} GB"
        )
        servers = _whole(max(cores / POSTGRES_CORES, memory / POSTGRES_GB))
        servers_shown = f"one for each {POSTGRES_CORES} cores or {POSTGRES_GB:g} GB of memory"
        return [
            _count("PostgreSQL: cores", cores, self._busy_shown(recording, asking)),
            _size("PostgreSQL: memory, vectors, words and newest entries", memory, memory_shown),
            _count("PostgreSQL: servers, with projects divided", servers, servers_shown),
            _count("PostgreSQL: standbys", servers, "one for each server, to take over"),
        ]

    def _disk(self) -> list[Line]:
        load, each = self.load, self._bytes
        memory = each["memory_rows"] + each["memory_indexes"] + each["memory_hnsw"]
        said = load.recordings_per_day * load.retention_days
        answers = load.queries_per_second / PEAK * DAY * load.retention_days
        kept = [load.memories * memory / GB, said * self._entry / GB, answers * each["answer"] / GB]
        disk = sum(kept) * LOOSE + (LOG_GB if load.projects else 0)
        days = f"× {load.retention_days:g} days ×"
        return [
            _size("disk: long-term memory", kept[0], f"{load.memories:,} × {memory:,} B"),
            _size("disk: quarantine", kept[1], f"{load.recordings_per_day:,.0f} a day {days} {self._entry:,} B"),
            _size("disk: who was served what", kept[2], f"{answers:,.0f} answers × {each['answer']:,} B"),
            _size("disk: all, and the same for the standbys", disk, f"the three × {LOOSE} + {LOG_GB:g} GB of log"),
        ]

    def _redis(self) -> list[Line]:
        load, recording, asking = self.load, (self._seconds["recording"]["redis"],), (self._query["redis"],)
        held = min(load.projects * WORKING_CAP, math.ceil(load.recordings_per_day))
        each = self._bytes["working_entry"] + self._longer
        memory = held * each * REDIS_LOOSE / GB
        nodes = _whole(max(memory / REDIS_NODE_GB, self._busy(recording, asking) / BUSY))
        return [
            _size("Redis: memory", memory, f"{held:,} entries × {each:,} B × {REDIS_LOOSE}"),
            _count("Redis: nodes, each with a replica", nodes, self._busy_shown(recording, asking)),
        ]

    def _workers(self) -> list[Line]:
        # A digest takes as long as its clearest statements do, and beyond 10,000 entries as long as these do.
        load, each = self.load, self._seconds["digest_of_10k_entries"]
        entries = load.recordings_per_day * min(7, load.retention_days) / max(1, load.projects)
        seconds = each * max(min(1, entries / STATEMENTS), entries / 10_000)
        workers = _whole(load.projects * seconds / DIGESTS_WITHIN)
        shown = f"{load.projects:,} projects × {seconds:.1f} s for {entries:,.0f} entries a week / {DIGESTS_WITHIN:,} s"
        return [_count("workers: cores, a digest each", workers, shown)]

    def _busy(self, recording: Sequence[float], asking: Sequence[float]) -> float:
        return self._recordings * sum(recording) + self.load.queries_per_second * sum(asking)

    def _busy_shown(self, recording: Sequence[float], asking: Sequence[float]) -> str:
        recorded = f"{self._recordings:,.1f} recordings/s × {_ms(recording)}"
        return f"({recorded} + {self.load.queries_per_second:g} queries/s × {_ms(asking)}) / {BUSY}"

    @property
    def _longer(self) -> int:
        """How many bytes more than those of the benchmark a text has."""
        return max(0, self.load.entry_bytes - self._text_bytes)

    @property
    def _entry(self) -> int:
        return int(self._bytes["entry_rows"] + self._bytes["entry_indexes"] + self._longer)


NOT_MODELLED = (
    "networks, connections beyond 10 for each process, and pgbouncer;",
    "an LLM as judge or a remote embedder: their time and cost are theirs, and the CPU of the bundled ones is counted;",
    "projects of very different size: all are taken as equal;",
    "deleting: memsieve throws away neither entries nor answers by itself, so the days kept are yours to see to;",
    "bursts above the peak factor, backups, and the second copy of vectors while the embedder is changed;",
    "compression of long texts, of which memories are cut into pieces of 500 characters: count those as memories;",
    "the judge on real prose, where it takes 2 to 8 ms a text: the made-up words it is measured on hold no claims;",
    "other processors: figures are of the machine that capacity.json names. Measure yours with `server --write`.",
)


def main(arguments: Sequence[str]) -> None:
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        figures = json.loads(FILE.read_text())
        model = Model(Load(**vars(given)), figures)
    except ValueError as exc:
        parser.error(str(exc))
    console = Console(width=150)
    table = Table(title=f"{model.load.told()}\nFigures: {figures['measured']}", title_justify="left")
    for column in ("what", "needed", "from"):
        table.add_column(column, justify="right" if column == "needed" else "left", no_wrap=column != "from")
    for line in model.lines():
        table.add_row(line.what, line.shown, line.formula)
    console.print(table)
    console.print(f"The busiest hour has {PEAK:g} × the average load; cores are kept at {BUSY:.0%}. Not modelled:")
    for one in NOT_MODELLED:
        console.print(f"- {one}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks capacity", description="The servers for a load, from measured figures."
    )
    parser.add_argument("--projects", type=int, required=True)
    parser.add_argument("--agents", type=int, default=0, help="shown only: an agent costs what it records and asks")
    parser.add_argument("--recordings-per-day", type=float, required=True)
    parser.add_argument("--queries-per-second", type=float, required=True, help="at the busiest hour")
    parser.add_argument("--memories", type=int, required=True, help="verified memories of all projects together")
    parser.add_argument("--retention-days", type=float, default=365, help="how long entries and answers are kept")
    parser.add_argument("--entry-bytes", type=int, default=500, help="an average output of an agent")
    parser.add_argument("--judge", choices=("local", "llm"), default="local")
    return parser


def _whole(number: float) -> int:
    return math.ceil(number - 1e-9)


def _count(what: str, number: int, formula: str) -> Line:
    return Line(what, number, f"{number:,}", formula)


def _size(what: str, gigabytes: float, formula: str) -> Line:
    return Line(what, gigabytes, f"{gigabytes:,.1f} GB", formula)


def _ms(parts: Sequence[float]) -> str:
    shown = " + ".join(f"{seconds * 1000:.2f}" for seconds in parts)
    return f"({shown}) ms" if len(parts) > 1 else f"{shown} ms"


if __name__ == "__main__":
    main(sys.argv[1:])
