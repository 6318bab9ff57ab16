"""Which statements of a cluster contradict each other: what supports its lead, what denies it, and disputes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product

from memsieve.claims.claim import unshared_weight
from memsieve.claims.compare import shared_weight
from memsieve.claims.contradictions import find_contradiction_between
from memsieve.claims.statement import read_statement
from memsieve.digest.scoring import Cluster, ScoredStatement, gather_support
from memsieve.digest.window import Window
from memsieve.model import Dispute, InsightSource, Reason, SourceDoubt
from memsieve.text.sentences import split_clauses

# Two statements that are as near as this by vector mean the same, whichever words they choose.
_SAME_MEANING = 0.82
# The most statements compared, at up to some milliseconds each: the nearest first; the others do not count.
_MOST_HEARD = 24
_NEGATIVE = re.compile(r"(?<![\w-])[-−](\d+)")
# The most pairs compared, at up to some milliseconds each: those against the summary, and the nearest others.
_MOST_CONTRARY = 4
_MOST_OTHERS = 6
_MOST_DISPUTES = 3


def take_sides(cluster: Cluster, window: Window) -> Cluster:
    """Return a cluster whose support agrees with its lead.

    Where more sessions say the opposite, or as many and later, that is the lead.
    """
    sided = _sided(cluster, window)
    others = [one for one in sided.against if window.counts(one.deduped)]
    if others and _strength(others, window) > _strength(sided.support, window):
        return _sided(gather_support(replace(cluster, lead=others[0]), ()), window)
    return sided


def contradicts_itself(cluster: Cluster) -> bool:
    """Say whether one of the statements nearest to the lead contradicts it."""
    lead = cluster.lead
    others = [one for one in cluster.support if one is not lead][:_MOST_OTHERS]
    return any(find_contradiction_between(lead.text, one.text) is not None for one in others)


def led_by(cluster: Cluster, words: str, window: Window) -> Cluster:
    """Return a cluster led by the statement that an insight began with: an insight keeps its words."""
    for one in (*cluster.support, *cluster.against):
        if window.counts(one.deduped) and words.startswith(window.quote(one.deduped)):
            everything = replace(cluster, lead=one, support=(*cluster.support, *cluster.against), against=())
            return _sided(gather_support(everything, ()), window)
    return cluster


def _sided(cluster: Cluster, window: Window) -> Cluster:
    """Return a cluster with what contradicts its lead against it, and without what has other figures.

    Sources that do not count are still shown.
    """
    lead = cluster.lead
    heard = [one for one in cluster.support if one is not lead][:_MOST_HEARD]
    against = [one for one in heard if find_contradiction_between(lead.text, one.text) is not None]
    agreeing = [one for one in heard if one not in against]
    support = [one for one in agreeing if _gives_same_figures(lead, one) or not window.counts(one.deduped)]
    return replace(cluster, support=(lead, *support), against=tuple(against))


def _gives_same_figures(lead: ScoredStatement, one: ScoredStatement) -> bool:
    """Say whether a statement gives a figure of the lead, if that has any, and of the same thing."""
    wanted, named = _figures(lead.text), _figures(one.text)
    if set(_NEGATIVE.findall(lead.text)) != set(_NEGATIVE.findall(one.text)):
        return False
    return not wanted or (bool(wanted & named) and not _names_other_subject(lead, one, wanted & named))


def _names_other_subject(lead: ScoredStatement, one: ScoredStatement, figures: frozenset[object]) -> bool:
    """Say whether the same is said of something else: 5 % of one shop is no evidence for 5 % of another."""
    if lead.chinese != one.chinese:
        return False
    a, b = (read_statement(_clause_with(figures, each.text)) for each in (lead, one))
    own, other = unshared_weight(a, b, ()), unshared_weight(b, a, ())
    if not 0 < max(own, other) <= shared_weight(a, b) / 2 or not min(own, other):
        return False
    return lead.vector is None or one.vector is None or float(lead.vector @ one.vector) < _SAME_MEANING


def _clause_with(figures: frozenset[object], text: str) -> str:
    """Return the clause that gives one of the figures; what stands around it may say who found that, and how."""
    return next((clause for clause in split_clauses(text) if figures & _figures(clause)), text)


@lru_cache(maxsize=4096)
def _figures(text: str) -> frozenset[object]:
    # "One" is an article as often as a number.
    values = (value.quantity.value for value in read_statement(text).values)
    return frozenset(value for value in values if value != (1.0,))


def _strength(scored: Iterable[ScoredStatement], window: Window) -> tuple[int, int]:
    """Return how many sessions say something, and the number of the last entry that does."""
    numbers = {number for one in scored for number in one.deduped.quotes if window.doubt(number) is None}
    return len({window.entry(number).session_id for number in numbers}), max(numbers, default=-1)


def disputes(sources: Sequence[InsightSource]) -> tuple[Dispute, ...]:
    """Return pairs of sources that cannot both be right; sources that give orders are left out."""
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
