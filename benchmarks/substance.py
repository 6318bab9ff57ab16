"""What everyday pollution gets past the filter, what of good statements does not, and what a day of it leaves to serve.

The texts were written for this by pens that wrote nothing of what the model learned from. `pollution.jsonl` was read
while passages were mended; nobody who works on memsieve read `unread.jsonl`, whose statements have a question each.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks.report import Column, Curve, Report, Value
from benchmarks.systems.all import installed
from benchmarks.systems.base import Embed, Factory, Said
from benchmarks.systems.memsieve import Memsieve
from benchmarks.systems.vectors import Vectors
from benchmarks.traffic import LANGUAGES

from memsieve import Memory
from memsieve.config import FilterSettings, Settings
from memsieve.model import CheckName
from memsieve.worth.model import FIRST_STATEMENT, KINDS
from memsieve.worth.weigh import weigh_text

TEXTS = Path(__file__).parent / "pollution.jsonl"
UNREAD = Path(__file__).parent / "unread.jsonl"
NOISE, STATEMENT_KINDS = frozenset(KINDS[:FIRST_STATEMENT]), frozenset(KINDS[FIRST_STATEMENT:])
MIXED = "mixed"
SHARE = "{:.1%}"
THRESHOLDS = [round(0.05 * step, 2) for step in range(1, 20)]
# A day is 95 % noise; so many statements are said, and asked for, in each of so many days.
DAYS, SAID, NOISE_EACH = 8, 10, 19
SERVED = 10
# A finding may lose its last mark, and of a frame a colon may stay.
MOST_LOST, MOST_KEPT = 0.05, 0.05
TIMED, RUNS = 300, 400
ADMITTED = (
    "Each text alone in a project, through all checks. “Before” is the same filter without the check `substance`. The "
    "model read none of these texts, and nothing by those who wrote them."
)
FRAMED = "A frame of a polite answer, a plan or lines of log, and one finding of a sentence or two in it."
ASKED = (
    "The check alone; and the day of the next table with these texts, where each statement is asked for by a question "
    "in other words, by key words, or by a task for which it matters."
)
DAY = (
    "Ten statements among 190 texts of noise, twenty at a time; after each twenty everyone is asked for the "
    "statements in it by their own beginnings, for at most 10 texts. The share of all texts served that are noise."
)


@dataclass(frozen=True, slots=True)
class Text:
    """One text, what it is, and for a mixed one where its finding stands."""

    language: str
    kind: str
    text: str
    finding: tuple[int, int] = (0, 0)
    question: str = ""

    @property
    def is_noise(self) -> bool:
        return self.kind in NOISE

    @property
    def is_statement(self) -> bool:
        return self.kind in STATEMENT_KINDS


@cache
def texts(path: Path = TEXTS) -> tuple[Text, ...]:
    """Return all texts of a file."""
    return tuple(map(_read, path.read_text("utf-8").splitlines()))


def _read(line: str) -> Text:
    row = json.loads(line)
    if row["kind"] != MIXED:
        return Text(row["language"], row["kind"], row["text"], question=row.get("question", ""))
    before, finding, after = row["before"], row["finding"], row["after"]
    return Text(row["language"], MIXED, before + finding + after, (len(before), len(before) + len(finding)))


def main(_: Path, *, peers: bool = False) -> Report:
    """Print what gets in, at which threshold, of mixed texts, and in a day."""
    report = Report("substance")
    _table_of_kinds(report)
    _table_of_thresholds(report)
    _table_of_mixed(report)
    _table_of_unread(report)
    _table_of_days(report, installed() if peers else {})
    _table_of_cost(report)
    return report


def _table_of_kinds(report: Report) -> None:
    report.progress("recording every text")
    after = admitted(Settings())
    before = admitted(Settings(filter=FilterSettings(disabled_checks=frozenset({CheckName.SUBSTANCE}))))
    groups = {**{kind: [kind] for kind in KINDS}, "all noise": NOISE, "all statements": STATEMENT_KINDS}
    rows = [[name, *_shares(kinds, before, after)] for name, kinds in groups.items()]
    columns = [Column("kind"), Column("texts")]
    for language in LANGUAGES:
        columns += [Column(f"{language}, before", SHARE), Column("after", SHARE)]
    report.table("Everyday pollution and statements that are admitted", columns, rows, ADMITTED)


def _shares(kinds: Collection[str], before: Mapping[Text, bool], after: Mapping[Text, bool]) -> list[Value]:
    some = [text for text in texts() if text.kind in kinds]
    cells: list[Value] = [len(some)]
    for language in LANGUAGES:
        mine = [text for text in some if text.language == language]
        cells += [float(np.mean([found[text] for text in mine])) for found in (before, after)]
    return cells


def admitted(settings: Settings) -> dict[Text, bool]:
    """Return of each text whether the filter admits it, each in a project of its own."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, settings=settings) as memory:
        return {
            text: memory.project(f"p{number}").record(text.text, session_id="s").admission.admitted
            for number, text in enumerate(texts())
        }


def _table_of_thresholds(report: Report) -> None:
    scores = {text: weigh_text(text.text).score for text in texts() if text.kind != MIXED}
    rows: list[list[Value]] = []
    lines: dict[str, list[tuple[float, float]]] = {}
    for least in THRESHOLDS:
        row: list[Value] = [least]
        for language in LANGUAGES:
            mine = {text: score for text, score in scores.items() if text.language == language}
            noise = float(np.mean([score >= least for text, score in mine.items() if text.is_noise]))
            lost = float(np.mean([score < least for text, score in mine.items() if not text.is_noise]))
            row += [noise, lost]
            lines.setdefault(f"{language}: noise admitted", []).append((least, noise))
            lines.setdefault(f"{language}: statements refused", []).append((least, lost))
        rows.append(row)
    columns = [Column("min_worth", "{:.2f}")]
    for language in LANGUAGES:
        columns += [Column(f"{language}: noise admitted", SHARE), Column("statements refused", SHARE)]
    report.table("The check substance alone, by its threshold", columns, rows[1::2])
    report.curve(Curve(name="curve", title="substance", x="min_worth", y="share of texts", lines=lines))


def _table_of_mixed(report: Report) -> None:
    rows = []
    for language in LANGUAGES:
        some = [_split(text) for text in texts() if text.kind == MIXED and text.language == language]
        both = sum(found and not frame for found, frame in some)
        rows.append((language, len(some), sum(found for found, _ in some), sum(not frame for _, frame in some), both))
    columns = [Column("language"), *map(Column, ("texts", "finding admitted", "frame left out", "both"))]
    report.table("Of mixed texts, the finding and its frame", columns, rows, FRAMED)


def _table_of_unread(report: Report) -> None:
    """Judge what nobody has read, and ask for its statements in other words, among 95 % noise."""
    rows = []
    embed = Vectors()
    for language in LANGUAGES:
        some = [text for text in texts(UNREAD) if text.language == language]
        least = Settings().filter.min_worth
        noise = [weigh_text(text.text).score >= least for text in some if text.is_noise]
        lost = [weigh_text(text.text).score < least for text in some if text.is_statement]
        mixed = [_split(text) for text in some if text.kind == MIXED]
        day = _day(
            Memsieve, [text for text in some if text.is_noise], [text for text in some if text.is_statement], embed
        )
        both = sum(found and not frame for found, frame in mixed)
        rows.append((language, len(some), float(np.mean(noise)), float(np.mean(lost)), f"{both} of {len(mixed)}", *day))
    columns = [
        Column("language"),
        Column("texts"),
        Column("noise admitted", SHARE),
        Column("statements refused", SHARE),
    ]
    columns += [Column("mixed texts right"), Column("served a question", "{:.1f}"), Column("noise of it", SHARE)]
    report.table("Texts that nobody had read", [*columns, Column("statements found", SHARE)], rows, ASKED)


def _split(text: Text) -> tuple[bool, bool]:
    """Return whether the finding of a mixed text is admitted, and whether any of its frame is."""
    kept = [False] * len(text.text)
    settings = Settings().filter
    for start, end in weigh_text(text.text).spans(settings.min_worth):
        kept[start:end] = [True] * (end - start)
    start, end = text.finding
    shown = [number for number, sign in enumerate(text.text) if not sign.isspace()]
    finding = [kept[number] for number in shown if start <= number < end]
    frame = [kept[number] for number in shown if not start <= number < end]
    return float(np.mean(finding)) >= 1 - MOST_LOST, bool(frame) and float(np.mean(frame)) > MOST_KEPT


def _table_of_days(report: Report, peers: Mapping[str, Factory]) -> None:
    embed = Vectors()
    rows: list[list[Value]] = []
    for name, factory in {"memsieve, filter alone": Memsieve, **peers}.items():
        report.progress(f"a day with {name}")
        cells: list[Value] = [name]
        for language in LANGUAGES:
            mine = [text for text in texts() if text.language == language]
            noise, good = ([text for text in mine if text.is_noise], [text for text in mine if text.is_statement])
            cells += _day(factory, noise, good, embed)
        rows.append(cells)
    columns = [Column("system")]
    for language in LANGUAGES:
        columns += [Column(f"{language}: served a question", "{:.1f}"), Column("noise of it", SHARE)]
        columns += [Column("statements found", SHARE)]
    report.table("A day that is 95 % noise", columns, rows, DAY)


def _day(factory: Factory, noise: Sequence[Text], good: Sequence[Text], embed: Embed) -> list[Value]:
    """Return how many texts a question brought, the share of noise among them, and of statements that came back."""
    chance = random.Random(0)
    served = polluted = found = 0
    with tempfile.TemporaryDirectory() as folder:
        system = factory(Path(folder), embed)
        for day in range(DAYS):
            chosen = chance.sample(good, SAID)
            said = [statement.text for statement in chosen]
            around = iter(chance.sample(noise, SAID * NOISE_EACH))
            for number, statement in enumerate(said):
                part = [statement, *(next(around).text for _ in range(NOISE_EACH))]
                chance.shuffle(part)
                session = f"session {day} {number % 4}"
                system.record(f"day-{day}", [Said(text=text, session=session) for text in part])
                for one in chosen[: number + 1][-3:]:
                    asked = one.text
                    answer = system.ask(f"day-{day}", one.question or asked[: len(asked) // 2], SERVED)
                    served += len(answer)
                    # What is served of a text may be a passage of it.
                    polluted += sum(not any(_is_of(item.text, each) for each in said) for item in answer)
                    found += any(_is_of(item.text, asked) for item in answer)
        system.close()
    questions = DAYS * sum(min(3, number + 1) for number in range(SAID))
    return [served / questions, polluted / served if served else 0.0, found / questions]


def _is_of(served: str, text: str) -> bool:
    return served in text or text in served


def _table_of_cost(report: Report) -> None:
    """Time the weighing of texts of 300 characters, each seen for the first time, in seconds of the processor."""
    rows = []
    for language in LANGUAGES:
        made = [*_of_length([text.text for text in texts() if text.language == language], TIMED)]
        weigh_text(made[0])
        times = []
        for text in made:
            began = time.process_time()
            weigh_text(text)
            times.append(1000 * (time.process_time() - began))
        rows.append((language, len(made), float(np.median(times)), float(np.percentile(times, 95))))
    columns = [Column("language"), Column("texts"), Column("median", "{:.3f} ms"), Column("p95", "{:.3f} ms")]
    report.table(f"Processor time to weigh a text of {TIMED} characters", columns, rows)


def _of_length(parts: Sequence[str], size: int) -> Iterable[str]:
    chance = random.Random(1)
    for _ in range(RUNS):
        text = ""
        while len(text) < size:
            text += chance.choice(parts) + "\n"
        yield text[:size]
