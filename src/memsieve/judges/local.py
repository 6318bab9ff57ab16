"""A judge without a model or a network."""

from __future__ import annotations

import asyncio

from memsieve.ports import LONG_TEXT, Verdict


class LocalJudge:
    """Judges by rules alone, in milliseconds."""

    quick = True

    async def consistent(self, content: str) -> Verdict:
        """Return a verdict; a refusal quotes both sentences."""
        return await asyncio.to_thread(_judge, content) if len(content) > LONG_TEXT else _judge(content)


def _judge(content: str) -> Verdict:
    # Imported on first use: a command that judges nothing need not wait for the rules.
    from memsieve.judges.contradiction import find_contradiction

    found = find_contradiction(content)
    if found is None:
        return Verdict(consistent=True, reason="No two sentences of it contradict each other.")
    said = f'It says "{found.first}"' + ("" if found.first == found.second else f' and also "{found.second}"')
    return Verdict(consistent=False, reason=f"{said}: {found.explanation}.")
