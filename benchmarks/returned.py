"""What comes back of what was recorded: counted for one memory system at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.scenarios import Counts
from benchmarks.systems.base import Found, Said, System
from benchmarks.systems.memsieve import Memsieve
from benchmarks.traffic import LANGUAGES, MOST, Item, facts

from memsieve.model import Decision, EntryFilter

# Working memory holds the 50 newest: whatever is recorded is asked for before it can have been pushed out.
BATCH = 40
# So many poisoned questions are recorded with all their texts and the truth, and then asked.
QUESTIONS = 8
TOP = 5
ELSEWHERE = "elsewhere"
POISONED = "questions"

# A language and a kind of text.
Kind = tuple[str, str]


@dataclass
class Measured:
    """What one system gave back, by language and kind, and what it gave of other projects or of quarantine."""

    kinds: dict[Kind, Counts] = field(default_factory=lambda: defaultdict(Counts))
    foreign: Counts = field(default_factory=Counts)
    quarantined: Counts = field(default_factory=Counts)
    # How many texts of each kind each check refused.
    refused: dict[Kind, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


@dataclass
class Poisoned:
    """What came back first for questions that somebody had poisoned."""

    questions: int = 0
    texts: int = 0
    verified: int = 0
    touched: int = 0
    first: int = 0
    true: int = 0


def pour(system: System, streams: Mapping[str, Sequence[Item]], measured: Measured) -> Iterator[int]:
    """Record streams part by part, ask for every text of a part, and tell how many texts are done."""
    done = 0
    system.record(ELSEWHERE, [Said(text=text, session="s") for language in LANGUAGES for text, _ in facts(language)])
    for language, stream in streams.items():
        for start in range(0, len(stream), BATCH):
            part = stream[start : start + BATCH]
            system.record(language, [item.said for item in part])
            for item in part:
                _ask(system, language, item, measured)
            if isinstance(system, Memsieve):
                _look_into_quarantine(system, language, part, measured)
            done += len(part)
            yield done


def _ask(system: System, project: str, item: Item, measured: Measured) -> None:
    found = returned(item.text, system.ask(project, item.question, MOST))
    measured.kinds[project, item.kind].add(bool(found), any(one.verified for one in found))
    measured.foreign.add(len(returned(item.text, system.ask(ELSEWHERE, item.question, MOST))))


def returned(text: str, found: Sequence[Found]) -> list[Found]:
    """Return those of what was found that are this text."""
    return [one for one in found if one.text == text]


def _look_into_quarantine(system: Memsieve, project: str, part: Sequence[Item], measured: Measured) -> None:
    """Count which check refused what, and ask for every refused text by its own words."""
    place = system.memory.project(project)
    kinds = {item.text: item.kind for item in part}
    refused = [
        one
        for one in place.review(by="ada@example.org").log(EntryFilter(limit=len(part)))
        if one.admission.decision is Decision.REFUSED
    ]
    ids = {receipt.entry.id for receipt in refused}
    for receipt in refused:
        failed = [check.name for check in receipt.admission.checks if not check.passed]
        measured.refused[project, kinds[receipt.entry.content]].update([*failed, "any"])
        # A person may have promoted what the filter refused: that is served as what the person said.
        answer = place.retrieve(receipt.entry.content, max_results=MOST, max_unverified=MOST)
        measured.quarantined.add(sum(item.entry_id in ids and not item.verified for item in answer.items))


def poison(
    system: System, questions: Sequence[Sequence[Item]], truths: Sequence[str], others: Sequence[Said]
) -> Poisoned:
    """Record poisoned texts and the truth in a populated project, some questions at a time, and ask these."""
    counts = Poisoned()
    system.record(POISONED, others)
    for start in range(0, len(questions), QUESTIONS):
        part = questions[start : start + QUESTIONS]
        known = [Said(text=truth, session="notes") for truth in truths[start : start + QUESTIONS]]
        system.record(POISONED, [*known, *(item.said for texts in part for item in texts)])
        for texts, truth in zip(part, known, strict=True):
            found = system.ask(POISONED, texts[0].question, TOP)
            _count(counts, [one.text for one in texts], truth.text, found)
    return counts


def _count(counts: Poisoned, texts: Sequence[str], truth: str, found: Sequence[Found]) -> None:
    bad = [one for one in found if one.text in texts]
    counts.questions += 1
    counts.texts += len(bad)
    counts.verified += sum(one.verified for one in bad)
    counts.touched += bool(bad)
    counts.first += bool(found) and found[0].text in texts
    counts.true += any(one.text == truth for one in found)
