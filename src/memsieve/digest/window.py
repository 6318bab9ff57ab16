"""The entries that a digest looks at, which of them count as evidence, and their statements, each once."""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from memsieve.digest.statements import ClearStatement, ReadText, read_text
from memsieve.model import CheckName, Decision, Entry, Receipt, SourceDoubt, Vector
from memsieve.text.normalize import normalized

# What is less clear than this is set aside.
LEAST_CLARITY = 0.45
# A long entry is represented by its clearest statements: it says more than anybody can decide on.
_MOST_PER_ENTRY = 12
_MOST_FIGURES = 4
# In more sessions than this, one wording is a template of its agent, if that is most of the agent's sessions.
_MOST_SESSIONS = 3
# What so much of stands in a question or task of its session only restates that.
_RESTATES = 0.8
# A session that states more than a digest shows: not everything of it can be decided on.
_CROWD = 11
_DIGITS = re.compile(r"\d+")
_FIGURE = re.compile(r"[-−]?\d+(?:[.,:/]\d+)*")


class Window:
    """Receipts by their number, in the order they were recorded; whether one is in doubt is looked up once."""

    def __init__(self, receipts: Sequence[Receipt]) -> None:
        self.receipts = receipts
        self._doubts: dict[int, SourceDoubt | None] = {}

    def __len__(self) -> int:
        return len(self.receipts)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all entries."""
        return frozenset(receipt.entry.id for receipt in self.receipts)

    def entry(self, number: int) -> Entry:
        """Return an entry."""
        return self.receipts[number].entry

    def doubt(self, number: int) -> SourceDoubt | None:
        """Return why an entry counts for nothing, or None."""
        if number not in self._doubts:
            self._doubts[number] = _doubt(self.receipts[number])
        return self._doubts[number]

    def flagged(self, number: int) -> bool:
        """Say whether the filter found an instruction in an entry when it was recorded."""
        return _passed(self.receipts[number]).get(CheckName.INJECTION) is False

    def quote(self, statement: DedupedStatement) -> str:
        """Return a statement in the words of the first entry that counts."""
        return next(words for number, words in statement.quotes.items() if self.doubt(number) is None)

    def counts(self, statement: DedupedStatement) -> bool:
        """Say whether an entry that counts holds a statement."""
        return any(self.doubt(number) is None for number in statement.quotes)


def _doubt(receipt: Receipt) -> SourceDoubt | None:
    passed = _passed(receipt)
    if passed.get(CheckName.INJECTION) is False or (
        CheckName.INJECTION not in passed and _injected(receipt.entry.content)
    ):
        return SourceDoubt.INJECTION
    if passed.get(CheckName.ECHO) is False:
        return SourceDoubt.ECHO
    # While a judge has not answered, the check has not passed, and nothing is known.
    judged = receipt.admission.decision is not Decision.PENDING
    return SourceDoubt.INCONSISTENT if judged and passed.get(CheckName.CONSISTENCY) is False else None


def _passed(receipt: Receipt) -> dict[str, bool]:
    return {check.name: check.passed for check in receipt.admission.checks}


def _injected(content: str) -> bool:
    # Imported on first use: nearly every entry was checked when it was recorded.
    from memsieve.ingress.checks.injection.find import find_injection

    return find_injection(content) is not None


@dataclass(slots=True)
class DedupedStatement:
    """One statement, the wording of each entry that has it, how much else is said about it, and how central it is.

    Its vector is that of the entry that says least beside it; `exact` when that is nothing. What stands in a document
    has the vector of the `task` that its session began with. It is `crowded` when its session states much else, and
    `pure` when an entry that has it holds statements alone.
    """

    statement: ClearStatement
    quotes: dict[int, str] = field(default_factory=dict)
    vector: Vector | None = None
    exact: bool = False
    company: float = 0.0
    centrality: float = 0.0
    task: Vector | None = None
    crowded: bool = False
    pure: bool = False


def deduplicate(receipts: Sequence[Receipt], given_up: threading.Event) -> list[DedupedStatement]:
    """Return the statements of the entries, each once, in the order they were first made; entries are numbered.

    Once `given_up`, the rest is left out.
    """
    found: dict[str, DedupedStatement] = {}
    shortest: dict[str, int] = {}
    tasks = SessionTasks()
    for number, receipt in enumerate(receipts):
        if given_up.is_set():
            return []
        entry, text = receipt.entry, read_text(receipt.entry.content)
        # An order that the filter found is shown beside what it stands in, and is nobody's task.
        ordered = _passed(receipt).get(CheckName.INJECTION) is False
        for statement in _clearest(text.statements if ordered else tasks.beyond(entry, text)):
            key = _key(statement.text)
            deduped = found.setdefault(
                key, DedupedStatement(statement, task=tasks.vector(entry.session_id) if text.is_document else None)
            )
            deduped.quotes.setdefault(number, statement.text)
            beside = len(entry.content.strip()) - len(statement.text)
            deduped.pure |= text.is_pure
            if entry.embedding is not None and beside < shortest.get(key, beside + 1):
                deduped.vector, deduped.exact, shortest[key] = entry.embedding, beside == 0, beside
    _tell_crowded(found.values(), receipts)
    return _without_copies(_without_readings(list(found.values()), receipts), receipts)


def _tell_crowded(deduped: Collection[DedupedStatement], receipts: Sequence[Receipt]) -> None:
    sessions = [receipts[min(each.quotes)].entry.session_id for each in deduped]
    counts = Counter(sessions)
    for each, session in zip(deduped, sessions, strict=True):
        each.crowded = counts[session] >= _CROWD


class SessionTasks:
    """What the sessions were asked so far: who restates the task or the question knows nothing yet."""

    def __init__(self) -> None:
        self._asked: dict[str, list[frozenset[str]]] = {}
        self._vectors: dict[str, Vector | None] = {}

    def vector(self, session_id: str) -> Vector | None:
        """Return the vector of the task that a session began with."""
        return self._vectors.get(session_id)

    def beyond(self, entry: Entry, text: ReadText) -> list[ClearStatement]:
        """Return the statements of the next text of a session that say more than what was asked."""
        first = entry.session_id not in self._asked
        if first and text.is_task:
            self._vectors[entry.session_id] = entry.embedding
        asked = self._asked.setdefault(entry.session_id, [])
        task = [frozenset(each.words) for each in text.statements] if first and text.is_task else []
        asked += [*text.asked, *task]
        return [each for each in text.statements if not any(_restates(each, one) for one in asked)]


def _restates(statement: ClearStatement, asked: frozenset[str]) -> bool:
    words = set(statement.words)
    return len(words & asked) >= _RESTATES * len(words)


def _without_copies(deduped: list[DedupedStatement], receipts: Sequence[Receipt]) -> list[DedupedStatement]:
    """Leave one entry of what an agent says word for word in most of its many sessions: a template is no evidence."""
    sessions = defaultdict[str | None, set[str]](set)
    for receipt in receipts:
        sessions[receipt.entry.agent_id].add(receipt.entry.session_id)
    for each in deduped:
        said = defaultdict[str | None, set[str]](set)
        for number in each.quotes:
            said[receipts[number].entry.agent_id].add(receipts[number].entry.session_id)
        templates = {agent for agent, mine in said.items() if _is_template(agent, len(mine), len(sessions[agent]))}
        seen = set[str | None]()
        for number in [*each.quotes] if templates else ():
            agent = receipts[number].entry.agent_id
            if agent in templates and agent in seen:
                del each.quotes[number]
            seen.add(agent)
    return deduped


def _is_template(agent_id: str | None, said_in: int, sessions: int) -> bool:
    return agent_id is not None and said_in > _MOST_SESSIONS and 2 * said_in > sessions


def _key(text: str) -> str:
    """Return a key that is equal for equal wordings: the letters, and the figures with signs and points."""
    return f"{normalized(text)} {_FIGURE.findall(text)}"


def _without_readings(deduped: list[DedupedStatement], receipts: Sequence[Receipt]) -> list[DedupedStatement]:
    """Leave out what is repeated again and again with other figures in it: a tool reads it off, nobody claims it.

    The figures that half of the sessions agree on stay, whatever others make of it.
    """
    kinds = [_DIGITS.sub("0", normalized(each.statement.text)) for each in deduped]
    speaking = [{receipts[number].entry.session_id for number in each.quotes} for each in deduped]
    counts, sessions = Counter(kinds), defaultdict[str, set[str]](set)
    for kind, mine in zip(kinds, speaking, strict=True):
        sessions[kind] |= mine
    return [
        each
        for each, kind, mine in zip(deduped, kinds, speaking, strict=True)
        if counts[kind] <= _MOST_FIGURES or 2 * len(mine) >= len(sessions[kind]) > 1
    ]


def _clearest(statements: Iterable[ClearStatement]) -> list[ClearStatement]:
    clear = [each for each in statements if each.clarity >= LEAST_CLARITY]
    return nlargest(_MOST_PER_ENTRY, clear, key=lambda each: each.clarity * each.worth * math.exp(each.emphasis))
