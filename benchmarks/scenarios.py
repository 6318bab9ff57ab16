"""Bad content that needs a history: copies of one text, echoes of what was served, and retired facts that come back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from benchmarks.systems.base import Found, Said, System
from benchmarks.systems.memsieve import Memsieve
from benchmarks.traffic import CHINESE, LANGUAGES, MOST, PUNCTUATED, copies, facts

PERSON = "reviewer"
# The session in which retired facts are said again.
LATER = "a week later"
# Every so many real turns one is retired.
TURNS = 20
SAID_AGAIN, OTHER_MARKS = "retired, said again", "retired, other marks, width or case"
ANNOUNCED = {"English": "As far as I remember: ", CHINESE: "据我所记得的情况："}


@dataclass(slots=True)
class Counts:
    """How many texts were recorded, how many a question brought back, and how many of these as verified."""

    texts: int = 0
    returned: int = 0
    verified: int = 0

    def add(self, returned: int, verified: int = 0, texts: int = 1) -> None:
        """Count some more."""
        self.texts += texts
        self.returned += returned
        self.verified += verified

    def share(self, what: str) -> float | None:
        """Return one of the counts as a share of the texts."""
        return getattr(self, what) / self.texts if self.texts else None


Kinds = Iterator[tuple[str, Counts]]


def scenarios(system: System, language: str, filler: Sequence[Said]) -> Kinds:
    """Play all of them in projects of their own; `filler` is good content to mix in."""
    yield "copies of one hallucination", copied(system, language, copies(language), filler)
    yield from echoed(system, language, facts(language))
    yield from retired(system, language, [said.text for said in filler[::TURNS]])


def copied(system: System, language: str, texts: Sequence[str], filler: Sequence[Said]) -> Counts:
    """Let many agents say one thing among others, and count how often one question brings it."""
    project, counts = _project(language, "copies"), Counts()
    said = [Said(text=text, session=f"session {n % 5}", agent=f"agent {n % 4}") for n, text in enumerate(texts)]
    mixed = [one for pair in zip_longest(said, filler[: len(said)]) for one in pair if one]
    system.record(project, mixed)
    found = [one for one in _all(system, project, texts[0], len(mixed)) if one.text in texts]
    counts.add(len(found), sum(one.verified for one in found), len(texts))
    return counts


def echoed(system: System, language: str, known: Sequence[tuple[str, str]]) -> Kinds:
    """Serve known facts to a session, and let it say them again."""
    opening = ANNOUNCED[language]
    variants: dict[str, Callable[[str, str], str]] = {
        "echo, as it was served": lambda fact, _: fact,
        "echo, announced": lambda fact, _: f"{opening}{fact}",
        "echo, paraphrased": lambda _, paraphrase: paraphrase,
    }
    for kind, vary in variants.items():
        project, counts = _project(language, kind), Counts()
        _know(system, project, [fact for fact, _ in known])
        for number, (fact, paraphrase) in enumerate(known):
            session, text = f"session {number}", vary(fact, paraphrase)
            _serve(system, project, session, fact)
            system.record(project, [Said(text=text, session=session)])
            found = [one for one in _all(system, project, text, MOST) if one.text == text]
            itself = text == fact
            counts.add(max(0, len(found) - itself), max(0, sum(one.verified for one in found) - itself))
        yield kind, counts


def retired(system: System, language: str, turns: Sequence[str]) -> Kinds:
    """Retire facts and real turns, and let an agent say them again: as they were, with other marks, in other words."""
    known, other = facts(language), facts(_other(language))
    bare = [*(fact for fact, _ in known), *turns]
    again = {
        SAID_AGAIN: [bare],
        OTHER_MARKS: [[change(text) for text in bare] for change in PUNCTUATED.values()],
        "retired, paraphrased": [[paraphrase for _, paraphrase in known]],
        "retired, in the other language": [[fact for fact, _ in other]],
    }
    for kind, rounds in again.items():
        counts = Counts()
        for number, texts in enumerate(rounds):
            project = _project(language, f"{kind} {number}")
            _retire(system, project, bare)
            for text in texts:
                system.record(project, [Said(text=text, session=LATER)])
                found = [one for one in _all(system, project, text, MOST) if one.text == text]
                counts.add(bool(found), any(one.verified for one in found))
        yield kind, counts


def _project(language: str, name: str) -> str:
    return re.sub(r"\W+", "-", f"{language} {name}")


def _other(language: str) -> str:
    return next(other for other in LANGUAGES if other != language)


def _all(system: System, project: str, question: str, most: int) -> list[Found]:
    """Ask as ever, but of memsieve for repeats too."""
    if not isinstance(system, Memsieve):
        return system.ask(project, question, most)
    answer = system.memory.project(project).retrieve(question, max_results=most, max_unverified=most)
    return [Found(item.content, item.verified) for item in answer.items]


def _know(system: System, project: str, texts: Sequence[str]) -> None:
    """Let a memory know some facts: by a person where it has one."""
    if isinstance(system, Memsieve):
        system.memory.maintenance(project).import_texts(texts, by=PERSON)
    else:
        system.record(project, [Said(text=text, session="before") for text in texts])


def _serve(system: System, project: str, session: str, question: str) -> None:
    if isinstance(system, Memsieve):
        system.memory.project(project).retrieve(question, session_id=session)
    else:
        system.ask(project, question, MOST)


def _retire(system: System, project: str, texts: Sequence[str]) -> None:
    """Let a person retire facts; a system without retirement is as if they had been deleted."""
    if isinstance(system, Memsieve):
        person = system.memory.project(project).review(by=PERSON)
        for text in texts:
            person.retire(person.promote_text(text).id, reason="It is wrong.")
