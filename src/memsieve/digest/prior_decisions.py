"""What people have decided before: a cluster that restates it joins the decision instead of asking anew."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memsieve.claims import find_conflict
from memsieve.claims.contradictions import find_contradiction_between
from memsieve.claims.restatement import DecidedText, restatement_score
from memsieve.digest.scoring import Cluster
from memsieve.model import Insight, InsightSource, Scope, Tombstone
from memsieve.ports import DigestStore, LongTermStore, TombstoneStore
from memsieve.text.tokenize import tokenize

_NEAREST = 5
# Each takes up to some milliseconds.
_MOST_COMPARED = 8


@dataclass(frozen=True, kw_only=True)
class PriorDecisions:
    """Knows what was decided, as insights, as entries and as memories."""

    digests: DigestStore
    longterm: LongTermStore
    tombstones: TombstoneStore
    tombstone_similarity: float

    async def history(self, scope: Scope) -> DecisionHistory:
        """Return the decisions of a project, for one digest."""
        decided = await self.digests.insights(scope, decided=True)
        return DecisionHistory(scope=scope, prior=self, decided=decided)


@dataclass(kw_only=True)
class DecisionHistory:
    """The decisions of a project, and what joins them: sources by insight, and all entries that were decided on."""

    scope: Scope
    prior: PriorDecisions
    decided: Sequence[Insight]
    later: dict[str, list[InsightSource]] = field(default_factory=lambda: defaultdict(list))
    entries: set[str] = field(default_factory=set)

    @cached_property
    def _summaries(self) -> list[DecidedText]:
        return [DecidedText(one.summary, tokenize(one.summary), one.embedding) for one in self.decided]

    async def absorbs(self, cluster: Cluster, sources: Sequence[InsightSource]) -> bool:
        """Say whether a cluster only restates a decision; its sources then join that decision."""
        # A cluster that contradicts one decision may still restate another.
        for insight_id, before in await self._before(cluster):
            if not await asyncio.to_thread(_any_conflict, before, sources):
                self.entries.update(source.entry_id for source in sources)
                if insight_id is not None:
                    self.later[insight_id] += sources
                return True
        return False

    def joining(self, without: Container[str]) -> dict[str, list[InsightSource]]:
        """Return what joins which decision; an entry that also says something else, which waits, is not decided."""
        return {
            insight_id: [source for source in sources if source.entry_id not in without]
            for insight_id, sources in self.later.items()
        }

    async def _before(self, cluster: Cluster) -> list[tuple[str | None, tuple[str, ...]]]:
        """Return texts that were decided on and are like a cluster, each with the insight it was, if it was one."""
        lead, store = cluster.lead, self.prior
        found: list[tuple[str | None, tuple[str, ...]]] = [
            (insight.id, await self._decided_on(insight))
            for insight, remembered in zip(self.decided, self._summaries, strict=True)
            if self._again(cluster, remembered)
        ]
        for hit in await store.longterm.search(self.scope, lead.vector, lead.deduped.statement.words, _NEAREST):
            known = self._promoted_as(hit.memory_id)
            if known and self._again(cluster, DecidedText(hit.content, tokenize(hit.content), None), hit.similarity):
                found.append((known.id, (hit.content,)))
        tombstones = await store.tombstones.nearest(self.scope, lead.vector, lead.deduped.statement.words, _NEAREST)
        return found + [(None, (one.content,)) for one in tombstones if self._again(cluster, one)]

    async def _decided_on(self, insight: Insight) -> tuple[str, ...]:
        """Return what an insight says, and first the text that a person approved of it in other words."""
        decided = insight.decision
        if decided is None or decided.memory_id is None:
            return (insight.summary,)
        memory = await self.prior.longterm.get(self.scope, decided.memory_id)
        approved = insight.summary if memory is None else memory.approval.content
        return (insight.summary,) if approved == insight.summary else (approved, insight.summary)

    def _again(self, cluster: Cluster, before: DecidedText | Tombstone, similarity: float | None = None) -> bool:
        again = restatement_score(cluster.lead.text, cluster.lead.vector, before)
        return max(again, similarity or 0.0) >= self.prior.tombstone_similarity

    def _promoted_as(self, memory_id: str) -> Insight | None:
        """Return the insight that was promoted to a memory, in other words perhaps."""
        for insight in self.decided:
            if insight.decision is not None and insight.decision.memory_id == memory_id:
                return insight
        return None


def _any_conflict(decided: Sequence[str], sources: Sequence[InsightSource]) -> bool:
    """Say whether a source contradicts what was decided: then a person must know."""
    quotes = list(dict.fromkeys(source.quote for source in sources))[:_MOST_COMPARED]
    return any(_contradicts(decided, quote) for quote in quotes)


def _contradicts(decided: Sequence[str], quote: str) -> bool:
    if all(find_conflict(text, quote) is not None for text in decided):
        return True
    # A person may have corrected the insight: then the text they approved counts, and not the summary.
    return len(decided) > 1 and find_contradiction_between(decided[0], quote) is not None
