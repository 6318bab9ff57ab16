"""What people have decided before: a finding that says it again joins the decision instead of asking anew."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from memsieve.claims import conflict
from memsieve.claims.resemblance import Remembered, said_again
from memsieve.digest.weigh import Finding
from memsieve.model import Insight, InsightSource, Scope, Tombstone
from memsieve.ports import DigestStore, Ledger, LongTermStore
from memsieve.retrieval.words import cut

_NEAREST = 5
# Each takes up to some milliseconds.
_MOST_COMPARED = 8


@dataclass(frozen=True, kw_only=True)
class Decided:
    """Knows what was decided, as insights, as entries and as memories."""

    digests: DigestStore
    longterm: LongTermStore
    ledger: Ledger
    tombstone_similarity: float

    async def history(self, scope: Scope) -> History:
        """Return the decisions of a project, for one digest."""
        settled = await self.digests.insights(scope, settled=True)
        return History(scope=scope, decided=self, settled=settled)


@dataclass(kw_only=True)
class History:
    """The decisions of a project, and what joins them: sources by insight, and all entries that were decided on."""

    scope: Scope
    decided: Decided
    settled: Sequence[Insight]
    later: dict[str, list[InsightSource]] = field(default_factory=lambda: defaultdict(list))
    entries: set[str] = field(default_factory=set)

    async def takes(self, finding: Finding, sources: Sequence[InsightSource]) -> bool:
        """Say whether a finding only says again what was decided on; its sources then join the decision."""
        insight_id, before = await self._before(finding)
        if before is None or await asyncio.to_thread(_any_conflict, before, sources):
            return False
        self.entries.update(source.entry_id for source in sources)
        if insight_id is not None:
            self.later[insight_id] += sources
        return True

    async def _before(self, finding: Finding) -> tuple[str | None, str | None]:
        """Return the insight that was settled, if it was one, and the text that was decided on."""
        lead = finding.lead
        for insight in self.settled:
            if self._again(finding, Remembered(insight.summary, cut(insight.summary), insight.embedding)):
                return insight.id, insight.summary
        for hit in await self.decided.longterm.search(self.scope, lead.vector, lead.saying.statement.words, _NEAREST):
            known = self._promoted_as(hit.memory_id)
            if known and self._again(finding, Remembered(hit.content, cut(hit.content), None), hit.similarity):
                return known.id, hit.content
        for grave in await self.decided.ledger.tombstones(
            self.scope, lead.vector, lead.saying.statement.words, _NEAREST
        ):
            if self._again(finding, grave):
                return None, grave.content
        return None, None

    def _again(self, finding: Finding, before: Remembered | Tombstone, similarity: float | None = None) -> bool:
        again = said_again(finding.lead.text, finding.lead.vector, before)
        return max(again, similarity or 0.0) >= self.decided.tombstone_similarity

    def _promoted_as(self, memory_id: str) -> Insight | None:
        """Return the insight that was promoted to a memory, in other words perhaps."""
        for insight in self.settled:
            if insight.settlement is not None and insight.settlement.memory_id == memory_id:
                return insight
        return None


def _any_conflict(before: str, sources: Sequence[InsightSource]) -> bool:
    """Say whether a source contradicts what was decided: then a person must know."""
    quotes = list(dict.fromkeys(source.quote for source in sources))[:_MOST_COMPARED]
    return any(conflict(before, quote) is not None for quote in quotes)
