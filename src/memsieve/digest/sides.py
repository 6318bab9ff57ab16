"""Where sayings that are near each other exclude each other: which of them bear the finding out, and which deny it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memsieve.contradiction.between import between
from memsieve.digest.weigh import Finding, Spoken
from memsieve.digest.window import Window

# Each takes up to some milliseconds; the nearest come first.
_MOST_HEARD = 16


def take_sides(finding: Finding, window: Window) -> Finding:
    """Return a finding whose support agrees with its lead; where more sessions say the opposite, that is the lead."""
    against = _against(finding.lead, finding.support)
    rest = [one for one in finding.support if one not in against]
    others = [one for one in against if window.counts(one.saying)]
    if others and _sessions(others, window) > _sessions(rest, window):
        lead = others[0]
        against = _against(lead, finding.support)
        rest = [lead, *(one for one in finding.support if one is not lead and one not in against)]
        return replace(finding, lead=lead, support=tuple(rest), against=tuple(against))
    return replace(finding, support=tuple(rest), against=tuple(against))


def _against(lead: Spoken, others: Sequence[Spoken]) -> list[Spoken]:
    heard = [one for one in others if one is not lead][:_MOST_HEARD]
    return [one for one in heard if between(lead.text, one.text) is not None]


def _sessions(said: Iterable[Spoken], window: Window) -> int:
    numbers = {number for one in said for number in one.saying.quotes if window.doubt(number) is None}
    return len({window.entry(number).session_id for number in numbers})
