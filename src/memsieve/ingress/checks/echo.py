"""Refuse an agent's recall that comes back as if it were new evidence."""

from __future__ import annotations

from memsieve.claims import find_conflict
from memsieve.claims.restatement import cached_tokens, closeness, coverage, excerpt
from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, ContextItem, Reason
from memsieve.text.normalize import normalized

# An answer may weave a few served memories together; with more, any text would seem made of them.
_WOVEN = 3


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass when the text adds something to what this session was served."""
    nearest = sorted(((likeness(candidate, item), item) for item in candidate.served), key=_score, reverse=True)
    for score, item in nearest:
        if score < settings.echo_similarity:
            break
        if find_conflict(candidate.excerpt, item.content) is None:
            return _refusal(score, item)
    woven = _woven(candidate, [item for _, item in nearest[:_WOVEN]])
    if woven >= settings.echo_similarity:
        return _refusal(woven, nearest[0][1])
    score = max(woven, nearest[0][0]) if nearest else 0.0
    return Check(name=CheckName.ECHO, passed=True, score=score, reason=Reason.of("echo.none"))


def likeness(candidate: Candidate, item: ContextItem) -> float:
    """Return how much of the candidate is in one served item."""
    if normalized(candidate.excerpt) in normalized(item.content):
        return 1.0
    words = cached_tokens(item.content)
    return max(closeness(candidate.words, candidate.vector, words, item.embedding), coverage(candidate.words, words))


def _woven(candidate: Candidate, items: list[ContextItem]) -> float:
    if any(find_conflict(candidate.excerpt, item.content) for item in items):
        return 0.0
    return coverage(candidate.words, {word for item in items for word in cached_tokens(item.content)})


def _refusal(score: float, item: ContextItem) -> Check:
    reason = Reason.of("echo.repeated", quote=excerpt(item.content), similarity=round(score, 2))
    return Check(name=CheckName.ECHO, passed=False, score=score, reason=reason)


def _score(pair: tuple[float, ContextItem]) -> float:
    return pair[0]
