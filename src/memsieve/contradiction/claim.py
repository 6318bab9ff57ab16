"""One claim of a text: the piece it stands in, and what that piece says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from memsieve.claims import statement
from memsieve.claims.statement import Statement
from memsieve.contradiction import guards
from memsieve.contradiction.sentences import Piece


@dataclass(frozen=True)
class Sentence:
    """What the sentence around a claim makes of it; all its clauses share one."""

    text: str

    @cached_property
    def asserted(self) -> bool:
        return guards.claims(self.text)

    @cached_property
    def hypothetical(self) -> bool:
        return guards.hypothetical(self.text)

    @cached_property
    def doubtful(self) -> bool:
        return self.hypothetical or guards.contrasted(self.text)


@dataclass(frozen=True)
class Claim:
    """A sentence or clause, read, with what keeps it from being held against others."""

    piece: Piece
    said: Statement
    sentence: Sentence

    @cached_property
    def setting(self) -> frozenset[str]:
        return guards.setting(self.piece.text)

    @cached_property
    def subject(self) -> tuple[frozenset[str], int]:
        """Return what the head of the sentence names, and how often it denies."""
        said = statement.read(self.piece.lead)
        return frozenset(said.words), said.denials

    @cached_property
    def condition(self) -> str:
        return guards.condition(self.piece.text)

    def beside(self, other: Claim) -> bool:
        """Say whether both stand in one sentence."""
        return self.piece.sentence == other.piece.sentence

    def unlike_values(self, other: Claim) -> bool:
        """Say whether the two give values that do not agree one by one."""
        if len(self.said.values) != len(other.said.values):
            return True
        pairs = zip(self.said.values, other.said.values, strict=True)
        return any(not x.quantity.fits(y.quantity) for x, y in pairs)
