"""How well the right texts are found: memsieve, words and vectors alone, naive fusion, and the peers, in one run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from benchmarks.questions import Question, Talk, locomo, qmsum, vcsum
from benchmarks.report import Column, Curve, Report
from benchmarks.scores import any_of, ndcg, share
from benchmarks.scratch import scratch
from benchmarks.systems.all import baselines, installed
from benchmarks.systems.base import Factory
from benchmarks.systems.memsieve import promoted
from benchmarks.systems.names import KEYWORDS, PEERS
from benchmarks.systems.vectors import Vectors

# Of 35, which take three times as long.
MEETINGS = 12
TOP = (5, 10, 25)
SHOWN = (1, 3, 5, 10, 15, 20, 25)
_MEASURES = [*(Column(f"recall@{top}", "{:.1%}") for top in TOP), Column("nDCG@10", "{:.3f}")]


@dataclass(frozen=True)
class Exam:
    """One set of talk, what is asked about it, and what counts as found."""

    name: str
    title: str
    talks: list[Talk]
    recall: Callable[[Collection[str], Sequence[str]], float]
    note: str


@dataclass
class Sheet:
    """Each question of an exam with what one system found, best first."""

    answers: list[tuple[Question, list[str]]] = field(default_factory=list)

    def figures(self, exam: Exam, *, adversarial: bool = True) -> list[float]:
        """Return recall at each depth, and nDCG@10."""
        counted = [one for one in self.answers if adversarial or not one[0].adversarial]
        gains = fmean(ndcg(question.evidence, found, 10) for question, found in counted)
        return [*(_recall(exam, counted, top) for top in TOP), gains]


def main(data: Path, *, peers: bool = False, full: bool = False) -> Report:
    """Print a table for each set."""
    report, embed = Report("quality"), Vectors()
    others = installed({**PEERS, **KEYWORDS}) if peers else {}
    rivals: dict[str, Factory] = {**baselines(), **others, "memsieve": promoted}
    for exam in _exams(data, full=full):
        sheets = {name: _sat(report, exam, name, factory, embed) for name, factory in rivals.items()}
        _tell(report, exam, sheets)
    return report


def _exams(data: Path, *, full: bool) -> list[Exam]:
    part = "Recall: a passage of the right part among the first."
    return [
        Exam("locomo", "LoCoMo dev: turns of the conversation", locomo(data), share, "Recall: share of the evidence."),
        Exam(
            "qmsum",
            f"QMSum val: turns of {MEETINGS} meetings" if not full else "QMSum val: turns of 35 meetings",
            qmsum(data)[: None if full else MEETINGS],
            any_of,
            "Recall: a turn of the right spans among the first.",
        ),
        Exam("vcsum-topic", "VCSum dev: the topic of a part", vcsum(data, highlights=False), any_of, part),
        Exam("vcsum-highlight", "VCSum dev: the highlight of a part", vcsum(data, highlights=True), any_of, part),
    ]


def _sat(report: Report, exam: Exam, name: str, factory: Factory, embed: Vectors) -> Sheet:
    """Let one system take in all of a set, and ask it everything."""
    sheet = Sheet()
    with scratch() as folder:
        system = factory(folder, embed)
        for number, talk in enumerate(exam.talks, 1):
            report.progress(f"{exam.name}, {name}, {number} of {len(exam.talks)}")
            system.record(talk.project, talk.said)
            for question in talk.questions:
                found = [one.text for one in system.ask(talk.project, question.text, max(TOP))]
                sheet.answers.append((question, list(dict.fromkeys(found))))
        system.close()
    return sheet


def _tell(report: Report, exam: Exam, sheets: dict[str, Sheet]) -> None:
    count = sum(len(talk.questions) for talk in exam.talks)
    title = f"{exam.title}, {count:,} questions"
    columns = [Column("system"), *_MEASURES]
    report.table(title, columns, [(name, *sheet.figures(exam)) for name, sheet in sheets.items()], exam.note)
    if any(question.adversarial for talk in exam.talks for question in talk.questions):
        rows = [(name, *sheet.figures(exam, adversarial=False)) for name, sheet in sheets.items()]
        report.table(f"{exam.title}, without adversarial questions", columns, rows, exam.note)
    found = {
        name: [(float(top), 100 * _recall(exam, sheet.answers, top)) for top in SHOWN] for name, sheet in sheets.items()
    }
    report.curve(Curve(name=exam.name, title=exam.title, x="first so many", y="recall, %", lines=found))


def _recall(exam: Exam, answers: list[tuple[Question, list[str]]], top: int) -> float:
    return fmean(exam.recall(question.evidence, found[:top]) for question, found in answers)
