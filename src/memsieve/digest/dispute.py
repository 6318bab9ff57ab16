"""Find sources of one insight that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from memsieve.claims.between_texts import find_contradiction_between
from memsieve.model import Dispute, InsightSource, Reason, SourceDoubt

# Each pair takes up to some milliseconds: those against the summary are heard, and the nearest of the others.
_MOST_CONTRARY = 4
_MOST_OTHERS = 6
_MOST_DISPUTES = 3


def disputes(sources: Sequence[InsightSource]) -> tuple[Dispute, ...]:
    """Return pairs of sources that cannot both be right; what gives orders is not heard."""
    heard = {source.quote: source for source in reversed(sources) if source.doubt is not SourceDoubt.INJECTION}
    distinct = [*reversed(heard.values())]
    contrary = [source for source in distinct if source.doubt is SourceDoubt.CONTRARY][:_MOST_CONTRARY]
    others = [source for source in distinct if source.doubt is not SourceDoubt.CONTRARY][:_MOST_OTHERS]
    found: list[Dispute] = []
    for first, second in (*product(others, contrary), *combinations(others, 2)):
        difference = find_contradiction_between(first.quote, second.quote)
        if difference is not None:
            found.append(_dispute(first, second, difference))
        if len(found) == _MOST_DISPUTES:
            break
    return tuple(found)


def _dispute(first: InsightSource, second: InsightSource, difference: Reason) -> Dispute:
    return Dispute(
        first_id=first.entry_id,
        first_quote=first.quote,
        second_id=second.entry_id,
        second_quote=second.quote,
        difference=difference,
    )
