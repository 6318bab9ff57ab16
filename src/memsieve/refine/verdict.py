"""What becomes of a finding: known already, too narrow, seen too seldom, or ready to be decided on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from math import inf

from memsieve.claims import find_conflict
from memsieve.claims.restatement import excerpt
from memsieve.model import Reason, Refinement, RefineOutcome
from memsieve.refine.concepts import concepts, find_exchange, one_region, share, shared
from memsieve.refine.narrow import why_narrow
from memsieve.text.normalize import normalized
from memsieve.text.sentences import split_clauses, split_sentences

# More than this share of a finding's concepts in one memory: it is known.
COVERED = 0.8
# From this cosine on, two texts say the same in other words or another language.
SAME_MEANING = 0.9
SAME_WORDING_AND_MEANING = 0.95
# Fewer concepts than this are in many texts by chance.
_FEWEST = 3
_SAME_WORDING = 0.8
# Fewer than this are found in a long text here and there.
_MANY = 6
_ADDED = 2
# How many memories are compared, nearest first, at milliseconds each: a finding unlike these is unlike the rest.
_MOST_COMPARED = 5
_COMPARED = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownText:
    """A verified memory to compare a finding with, and their similarity by vectors where both have one."""

    id: str
    content: str
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class DuplicateMatch:
    """The memory that says a finding already, or how the finding differs from the nearest one."""

    duplicate_of: str | None = None
    reason: Reason | None = None
    difference: Reason | None = None


@dataclass(frozen=True, slots=True)
class _Match:
    """A memory that may say the same, how near it is, and what this rests on."""

    memory: KnownText
    nearness: float
    ground: Reason


def refine(
    text: str,
    *,
    observations: int,
    known: Sequence[KnownText] = (),
    counted: str = "sessions",
    called: str = "memory",
    evidence: str = "",
) -> Refinement:
    """Return the first outcome that holds for a finding.

    `counted` names the unit of its observations, `called` what it is compared with. With evidence it need not be seen
    again.
    """
    compared = find_duplicate(text, known, called)
    if compared.duplicate_of is not None and compared.reason is not None:
        return Refinement(outcome=RefineOutcome.DUPLICATE, reason=compared.reason, observations=observations)
    if (too_narrow := why_narrow(text)) is not None:
        return Refinement(outcome=RefineOutcome.TOO_NARROW, reason=too_narrow, observations=observations)
    outcome, reason = _by_observations(observations, counted, called, evidence)
    if compared.reason is not None:
        reason = Reason.of("refine.with", verdict=reason, remark=compared.reason)
    return Refinement(outcome=outcome, reason=reason, observations=observations)


def find_duplicate(text: str, known: Sequence[KnownText], called: str = "memory") -> DuplicateMatch:
    """Return which memory says a finding already, or else which one it comes near to but contradicts."""
    differing = DuplicateMatch()
    matches = sorted(_matches(text, known), key=lambda match: match.nearness, reverse=True)
    for match in matches[:_MOST_COMPARED]:
        memory = match.memory
        difference = _difference(text, memory.content)
        if difference is None:
            quote = excerpt(memory.content)
            known_already = Reason.of(f"refine.duplicate_{called}", id=memory.id, match=match.ground, quote=quote)
            return DuplicateMatch(duplicate_of=memory.id, reason=known_already)
        if differing.difference is None:
            remark = Reason.of(f"refine.differs_{called}", id=memory.id, difference=difference)
            differing = DuplicateMatch(reason=remark, difference=difference)
    return differing


def _by_observations(observations: int, counted: str, called: str, evidence: str) -> tuple[RefineOutcome, Reason]:
    kind = "_atom" if called == "atom" else ""
    unit = Reason.of(f"refine.unit_{counted}")
    if evidence:
        return RefineOutcome.READY, Reason.of(f"refine.evidence{kind}", evidence=excerpt(evidence))
    if observations < Refinement.NEEDED:
        needed = Refinement.NEEDED
        return RefineOutcome.OBSERVING, Reason.of(
            "refine.observed", observations=observations, needed=needed, unit=unit
        )
    return RefineOutcome.READY, Reason.of(f"refine.ready{kind}", observations=observations, unit=unit)


def _difference(text: str, other: str) -> Reason | None:
    """Return how two texts differ in what they claim, whichever words of Chinese they choose for it."""
    found = find_exchange(text, other) or find_conflict(text, other)
    mine, theirs = one_region(text), one_region(other)
    if found is None or (mine, theirs) == (text, other):
        return found
    return found if find_exchange(mine, theirs) or find_conflict(mine, theirs) else None


def _matches(text: str, known: Sequence[KnownText]) -> Iterator[_Match]:
    for memory in known:
        match = _match(text, memory)
        if match is not None:
            yield match


def _match(text: str, memory: KnownText) -> _Match | None:
    mine, theirs = concepts(text), concepts(memory.content)
    if len(mine) < _FEWEST:
        alike = max(_alike(text, part) for part in _said_alone(mine, memory.content))
        return _Match(memory, alike, Reason.of("refine.match_words")) if alike >= _SAME_WORDING else None
    word_for_word = shared(mine, theirs) == mine and normalized(text) in normalized(memory.content)
    covered = 1.0 if word_for_word else _covered(mine, memory.content)
    if covered > COVERED:
        return _Match(memory, covered, Reason.of("refine.match_concepts", percent=round(100 * covered)))
    if memory.similarity is not None and memory.similarity >= _needed(mine, theirs):
        ground = Reason.of("refine.match_meaning", similarity=round(memory.similarity, 2))
        return _Match(memory, memory.similarity, ground)
    return None


def _said_alone(mine: frozenset[str], content: str) -> Iterator[str]:
    """Yield the text and those of its clauses that are about these few concepts and nothing else."""
    yield content if mine == concepts(content) else ""
    if mine and mine <= concepts(content):
        yield from (clause for clause in dict.fromkeys(split_clauses(content)) if concepts(clause) == mine)


def _covered(mine: frozenset[str], content: str) -> float:
    """Return the share of concepts that a memory has; few concepts must occur close together in it."""
    whole = share(mine, concepts(content))
    if whole <= COVERED or len(mine) >= _MANY:
        return whole
    sentences = split_sentences(content)
    pairs = [" ".join(pair) for pair in pairwise(sentences)] or [content]
    return max(share(mine, concepts(pair)) for pair in pairs)


def _needed(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Return the similarity from which a finding means the same as a memory.

    Vectors hardly show what a finding adds, or whether another word is a synonym or names somebody else.
    """
    both = shared(mine, theirs)
    own, left = len(mine - both), len(theirs - shared(theirs, mine))
    if own >= _ADDED and share(theirs, mine) > COVERED:
        return inf
    return SAME_WORDING_AND_MEANING if own and left and len(both) >= len(mine) / 2 else SAME_MEANING


def _alike(text: str, other: str) -> float:
    # The work grows with the square of what is compared.
    return SequenceMatcher(None, normalized(text)[:_COMPARED], normalized(other)[:_COMPARED], autojunk=False).ratio()
