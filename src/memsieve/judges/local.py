"""A judge without a network: rules that explain what they find, then a small model that sees more."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memsieve.model import Reason
from memsieve.ports import LONG_TEXT, Verdict
from memsieve.text.normalize import simplify

if TYPE_CHECKING:
    from memsieve.contradiction.find import Contradiction


class LocalJudge:
    """Judges in milliseconds. The model is loaded when a text holds two sentences that are alike."""

    quick = True

    async def consistent(self, content: str) -> Verdict:
        """Return a verdict; a refusal quotes both sentences."""
        # The rules know simplified characters; one stands for one, so what is quoted stands at the same place.
        simplified = simplify(content)
        read = await asyncio.to_thread(_read, simplified) if len(content) > LONG_TEXT else _read(simplified)
        # Each pair takes the model some milliseconds, in which others may go on.
        found = await asyncio.to_thread(_score, read) if isinstance(read, list) else read
        if found is None:
            return Verdict(consistent=True, reason=Reason.of("consistency.none"))
        first, second = (_as_written(sentence, simplified, content) for sentence in (found.first, found.second))
        if first == second:
            reason = Reason.of("consistency.paradox", sentence=first, difference=found.difference)
        else:
            reason = Reason.of("consistency.contradiction", first=first, second=second, difference=found.difference)
        return Verdict(consistent=False, reason=reason)


def _read(text: str) -> Contradiction | list[tuple[str, str]] | None:
    """Return what the rules find, else the sentences that the model should look at."""
    # Imported on first use: a command that judges nothing need not wait for the rules.
    from memsieve.contradiction.find import find_contradiction
    from memsieve.contradiction.restated import likely_pairs

    return find_contradiction(text) or likely_pairs(text) or None


def _score(pairs: list[tuple[str, str]]) -> Contradiction | None:
    from memsieve.contradiction.restated import surest

    return surest(pairs)


def _as_written(sentence: str, simplified: str, content: str) -> str:
    place = simplified.find(sentence)
    return sentence if place < 0 else content[place : place + len(sentence)]
