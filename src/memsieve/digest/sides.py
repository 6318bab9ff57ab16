"""Where sayings that are near each other exclude each other: which of them bear the finding out, and which deny it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from memsieve.claims.between_texts import find_contradiction_between
from memsieve.claims.statement import read_statement
from memsieve.digest.weigh import Finding, Spoken, gathered
from memsieve.digest.window import Window

# Each takes up to some milliseconds; the nearest come first, and who is not heard does not count.
_MOST_HEARD = 24
_NEGATIVE = re.compile(r"(?<![\w-])[-−](\d+)")


def take_sides(finding: Finding, window: Window) -> Finding:
    """Return a finding whose support agrees with its lead; where more sessions say the opposite, that is the lead."""
    sided = _sided(finding, window)
    others = [one for one in sided.against if window.counts(one.saying)]
    if others and _sessions(others, window) > _sessions(sided.support, window):
        return _sided(gathered(replace(finding, lead=others[0]), ()), window)
    return sided


def led_by(finding: Finding, words: str, window: Window) -> Finding:
    """Return a finding around the saying that an insight began with: it keeps its words, whatever was said since."""
    for one in (*finding.support, *finding.against):
        if window.counts(one.saying) and words.startswith(window.quote(one.saying)):
            everything = replace(finding, lead=one, support=(*finding.support, *finding.against), against=())
            return _sided(gathered(everything, ()), window)
    return finding


def _sided(finding: Finding, window: Window) -> Finding:
    """Return a finding with what contradicts its lead against it, and without what has other figures.

    What counts for nothing anyway is still shown.
    """
    lead = finding.lead
    heard = [one for one in finding.support if one is not lead][:_MOST_HEARD]
    against = [one for one in heard if find_contradiction_between(lead.text, one.text) is not None]
    agreeing = [one for one in heard if one not in against]
    support = [one for one in agreeing if _has_figures_of(lead, one) or not window.counts(one.saying)]
    return replace(finding, support=(lead, *support), against=tuple(against))


def _has_figures_of(lead: Spoken, one: Spoken) -> bool:
    """Say whether a saying holds a figure of the lead, if that has any: who names another bears it out as little."""
    wanted, held = _figures(lead.text), _figures(one.text)
    same_sign = set(_NEGATIVE.findall(lead.text)) == set(_NEGATIVE.findall(one.text))
    return same_sign and (not wanted or not wanted.isdisjoint(held))


@lru_cache(maxsize=4096)
def _figures(text: str) -> frozenset[object]:
    # "One" is an article as often as a number.
    values = (value.quantity.value for value in read_statement(text).values)
    return frozenset(value for value in values if value != (1.0,))


def _sessions(said: Iterable[Spoken], window: Window) -> int:
    numbers = {number for one in said for number in one.saying.quotes if window.doubt(number) is None}
    return len({window.entry(number).session_id for number in numbers})
