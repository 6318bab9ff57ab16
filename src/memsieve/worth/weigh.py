"""Say what the passages of a text are, and which of them are worth remembering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memsieve.model import Passages
from memsieve.text.scripts import readable
from memsieve.worth.model import FIRST_STATEMENT, KINDS, Kind, model
from memsieve.worth.passages import Passage, split_passages

# A passage is worth remembering when it is at least this likely a statement; chosen so that at most 3 % of statements
# by writers whom the model never read are below.
THRESHOLD = 0.2


class Worth(NamedTuple):
    """What a passage is, most likely, and how likely it is a statement worth remembering."""

    kind: Kind
    score: float

    @property
    def is_statement(self) -> bool:
        """Whether it is worth remembering."""
        return self.score >= THRESHOLD


# What leads into a sentence belongs to it, unless it is less likely a statement than this: "Here is what I found:".
_FRAME = 0.1
# Nothing is refused for being in a script that the model cannot read.
SCRIPTS = frozenset({"Latin", "Han"})
UNREAD = Worth(Kind.FOREIGN, 1.0)
CODE = Worth(Kind.CODE, 0.0)


@dataclass(frozen=True, slots=True)
class WeighedText:
    """The passages of a text, in order, each with its worth."""

    passages: Sequence[Passage]
    worths: Sequence[Worth]

    def __iter__(self) -> Iterator[tuple[Passage, Worth]]:
        return zip(self.passages, self.worths, strict=True)

    @property
    def score(self) -> float:
        """How likely its best passage is a statement."""
        return max((worth.score for worth in self.worths), default=0.0)

    def kind(self, threshold: float) -> Kind:
        """Return what most of it is: of the statements where it has any, else of the noise."""
        sizes = Counter[Kind]()
        least = threshold if self.score >= threshold else 0.0
        for passage, worth in self:
            if worth.score >= least:
                sizes[worth.kind] += len(passage.text)
        return max(sizes, key=lambda kind: sizes[kind], default=Kind.STATUS)

    def spans(self, threshold: float) -> Passages:
        """Return where the passages worth remembering stand, those in a row as one."""
        found: list[tuple[int, int]] = []
        follows = False
        for passage, worth in self:
            if worth.score >= threshold:
                start = found.pop()[0] if follows else passage.start
                found.append((start, passage.end))
            follows = worth.score >= threshold
        return tuple(found)


def weigh_text(content: str) -> WeighedText:
    """Return the passages of a text with their worth: what stands beside a passage helps to tell what it is."""
    found = split_passages(content)
    if not found:
        return WeighedText((), ())
    passages: list[Passage] = []
    worths: list[Worth] = []
    lead: Passage | None = None
    for passage, worth in zip(found, _worths(found), strict=True):
        if passage.is_lead and worth.score >= _FRAME:
            lead = passage
            continue
        passages.append(passage if lead is None else _after(lead, passage, content))
        worths.append(worth)
        lead = None
    return WeighedText(passages, worths)


def _after(lead: Passage, passage: Passage, content: str) -> Passage:
    return passage._replace(text=content[lead.start : passage.end], start=lead.start)


def _worths(passages: Sequence[Passage]) -> Iterator[Worth]:
    """Yield for each passage the likeliest kind on the likelier side."""
    rows = model().probabilities([each.text for each in passages])
    scores = rows[:, FIRST_STATEMENT:].sum(axis=1).tolist()
    noise = rows[:, :FIRST_STATEMENT].argmax(axis=1).tolist()
    statements = (FIRST_STATEMENT + rows[:, FIRST_STATEMENT:].argmax(axis=1)).tolist()
    for passage, score, nearest, likeliest in zip(passages, scores, noise, statements, strict=True):
        if passage.is_code:
            yield CODE
        elif not _can_read(passage.text):
            yield UNREAD
        else:
            yield Worth(KINDS[likeliest if score >= THRESHOLD else nearest], score)


def _can_read(passage: str) -> bool:
    return passage.isascii() or readable(passage, SCRIPTS) or not any(map(str.isalpha, passage))
