"""What gets into a memory, and what of it comes back: bad content in real traffic, memsieve beside other systems."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import checks, traffic
from benchmarks.report import Column, Report, Value
from benchmarks.returned import Kind, Measured, Poisoned, poison, pour
from benchmarks.scenarios import LATER, OTHER_MARKS, SAID_AGAIN, Counts, scenarios
from benchmarks.systems.all import installed
from benchmarks.systems.base import Embed, Factory, Said
from benchmarks.systems.memsieve import Memsieve
from benchmarks.systems.vectors import Vectors
from benchmarks.traffic import LANGUAGES, Item

from memsieve.model import CheckName

ALONE, REVIEWED = "memsieve, filter alone", "memsieve, good promoted"
OURS = (ALONE, REVIEWED)
# Nobody sends a confidence here.
CHECKED = [name for name in CheckName if name is not CheckName.CONFIDENCE]
SHARE = "{:.1%}"
RETURNED = (
    "Share of the texts that a question brings back among the first 10. The question is a text's own beginning, for "
    "poison the poisoned question. Everyone is asked after every 40 texts: memsieve's working memory holds the 50 "
    "newest, and would look better later. “Good promoted”: a person promotes the good content and nothing else. The "
    "other systems have no label: whatever they return is returned as memory. Wrong steps of agents are not summed up."
)
REFUSED = "By memsieve's filter; one text may fail several checks. No check claims to find a wrong step of an agent."
POISONED = (
    "100 questions with 5 poisoned texts and one true note each, in a project with 600 turns of real talk; as many at "
    "a time as working memory holds. A person promotes notes and talk. After 24 hours what is not verified is gone."
)
WALLS = "For memsieve each of these must be 0, whatever is sent."


@dataclass
class Result:
    """All figures of one system."""

    measured: Measured
    poison: Poisoned


def main(data: Path, *, peers: bool = False) -> Report:
    """Measure every system, and print the tables."""
    report, embed = Report("purity"), Vectors()
    streams = traffic.streams(data)
    good = {item.text for stream in streams.values() for item in stream if not item.bad} | set(traffic.truths(data))
    ours: dict[str, Factory] = {ALONE: Memsieve, REVIEWED: partial(Memsieve, person=partial(_approves, good))}
    factories = ours | (installed() if peers else {})
    results = {name: _measure(report, name, factory, embed, data, streams) for name, factory in factories.items()}
    sources = {item.kind for stream in streams.values() for item in stream if not item.bad}
    faults = {kind for _, kind in results[ALONE].measured.kinds} - sources
    _table_of_kinds(report, results, faults, "Bad content that comes back", RETURNED)
    _table_of_kinds(report, results, sources, "Good content that comes back")
    _table_of_refusals(report, results[ALONE].measured)
    _table_of_poison(report, results)
    _table_of_walls(report, results, faults)
    checks.fill(report, streams, embed)
    return report


def _approves(good: Collection[str], said: Said) -> bool:
    """Tell whether the person of this benchmark promotes a text: what is good, unless it was retired before."""
    return said.text in good and said.session != LATER


def _measure(
    report: Report, name: str, factory: Factory, embed: Embed, data: Path, streams: Mapping[str, Sequence[Item]]
) -> Result:
    good = {language: [item.said for item in stream if not item.bad] for language, stream in streams.items()}
    every = sum(map(len, streams.values()))
    with tempfile.TemporaryDirectory() as folder:
        system = factory(Path(folder), embed)
        try:
            measured = Measured()
            for done in pour(system, streams, measured):
                report.progress(f"{name}, {done:,} of {every:,} texts")
            for language in LANGUAGES:
                report.progress(f"{name}, copies, echoes and retired facts, {language}")
                for kind, counts in scenarios(system, language, good[language]):
                    measured.kinds[language, kind] = counts
            report.progress(f"{name}, poisoned questions")
            return Result(measured, poison(system, traffic.poison(data), traffic.truths(data), good[traffic.ENGLISH]))
        finally:
            system.close()


def _table_of_kinds(
    report: Report, results: Mapping[str, Result], kinds: Collection[str], title: str, note: str = ""
) -> None:
    """Tell of each kind of text how much came back, and how much of it verified."""
    columns = [Column("texts"), Column("language"), Column("count", "{:,}")]
    for name in results:
        columns += [Column(name, SHARE), Column("verified", SHARE)] if name in OURS else [Column(name, SHARE)]
    rows: list[list[Value]] = []
    for language, kind in _sorted(results[ALONE].measured.kinds):
        if kind in kinds:
            counts = {name: result.measured.kinds[language, kind] for name, result in results.items()}
            rows.append([kind, language, *_shares(counts)])
    summed = {name: together(result.measured.kinds, kinds) for name, result in results.items()}
    report.table(title, columns, [*rows, ["all of these", "both", *_shares(summed)]], note)


def _sorted(kinds: Collection[Kind]) -> list[Kind]:
    return sorted(kinds, key=lambda pair: (pair[1], LANGUAGES.index(pair[0])))


def together(kinds: Mapping[Kind, Counts], wanted: Collection[str]) -> Counts:
    """Add up some kinds; without wrong steps of agents, which nobody could know by their text."""
    total = Counts()
    for (_, kind), counts in kinds.items():
        if kind in wanted and kind != traffic.WRONG_STEP:
            total.add(counts.returned, counts.verified, counts.texts)
    return total


def _shares(counts: Mapping[str, Counts]) -> list[Value]:
    cells: list[Value] = [counts[ALONE].texts]
    for name, each in counts.items():
        cells += [each.share("returned"), each.share("verified")] if name in OURS else [each.share("returned")]
    return cells


def _table_of_refusals(report: Report, measured: Measured) -> None:
    shares = [Column(name, SHARE) for name in ("refused", *CHECKED)]
    rows: list[list[Value]] = []
    for language, kind in _sorted(measured.kinds):
        if (language, kind) in measured.refused:
            refused, texts = measured.refused[language, kind], measured.kinds[language, kind].texts
            rows.append([kind, language, *(refused[name] / texts for name in ("any", *CHECKED))])
    report.table("Refused, and by which check", [Column("texts"), Column("language"), *shares], rows, REFUSED)


def _table_of_poison(report: Report, results: Mapping[str, Result]) -> None:
    columns = [
        Column("system"),
        Column("poisoned of the first 5", "{:.2f}"),
        Column("of them verified", "{:.2f}"),
        Column("questions with any", SHARE),
        Column("poison first of all", SHARE),
        Column("truth among the 5", SHARE),
    ]
    rows: list[list[Value]] = []
    for name, result in results.items():
        found = result.poison
        counts = (found.texts, found.verified, found.touched, found.first, found.true)
        poisoned, verified, *others = (count / found.questions for count in counts)
        rows.append([name, poisoned, verified if name in OURS else None, *others])
    report.table("PoisonedRAG in a populated store", columns, rows, POISONED)


def _table_of_walls(report: Report, results: Mapping[str, Result], faults: Collection[str]) -> None:
    """Tell what must be 0."""
    columns = [Column("what must not be"), Column("tried", "{:,}"), *(Column(name, "{:,}") for name in results)]
    found = {name: walls(result.measured, faults) for name, result in results.items()}
    rows: list[list[Value]] = []
    for wall, counts in found[ALONE].items():
        hits = [found[name][wall].returned if name in OURS or wall not in LABELLED else None for name in results]
        rows.append([wall, counts.texts, *hits])
    report.table("Walls", columns, rows, WALLS)


VERIFIED, QUARANTINED = "bad content served as verified", "refused texts, asked for in their own words"
# Nobody else has a label, or a quarantine.
LABELLED = (VERIFIED, QUARANTINED)


def walls(measured: Measured, faults: Collection[str]) -> dict[str, Counts]:
    """Return what came through where nothing may."""
    bad = together(measured.kinds, faults)
    return {
        VERIFIED: Counts(bad.texts, bad.verified),
        QUARANTINED: measured.quarantined,
        "texts asked for from another project": measured.foreign,
        "retired facts, said again as they were": together(measured.kinds, [SAID_AGAIN]),
        "retired facts, other marks, width or case": together(measured.kinds, [OTHER_MARKS]),
    }
