"""The two faces of a project: an agent's, which cannot decide, and a person's review, which can.

An open memory, a client of a server and their synchronous forms all have these methods, with these signatures.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol, Unpack

from memsieve.model import (
    Admission,
    Answer,
    AuditEvent,
    DailyCounts,
    Digest,
    Entry,
    EntryFields,
    EntryFilter,
    Insight,
    Lineage,
    LongTermMemory,
    Proposal,
    Receipt,
    Retirement,
    Stats,
    Tombstone,
)
from memsieve.ports import Progress
from memsieve.retrieval.prompt import DEFAULT_TOKENS, history_context
from memsieve.review.audit import Audit
from memsieve.runtime.event_loop import Front, blocking


class VerifiedReads(Protocol):
    """What agents and people alike may read of a project: what is verified, and counts."""

    async def memories(
        self,
        *,
        after_id: str | None = None,
        limit: int = 100,
        text: str | None = None,
        retired: bool = False,
        newest_first: bool = False,
    ) -> list[LongTermMemory]:
        """List verified memories in the order they were approved, or retired ones; those that hold a text."""
        ...

    async def memory(self, any_id: str) -> LongTermMemory | None:
        """Return the memory with this id, or with a chunk or a source entry of this id; the living one first."""
        ...

    async def stats(self) -> Stats:
        """Count what the project holds and what the filter refused."""
        ...


class AsyncProject(VerifiedReads, Protocol):
    """The agent's face of a project: record, retrieve and propose. Nothing here decides."""

    @property
    def id(self) -> str:
        """The project's name."""
        ...

    async def record(
        self,
        content: str,
        *,
        session_id: str,
        idempotency_key: str | None = None,
        wait: bool = False,
        decide: str = "now",
        **fields: Unpack[EntryFields],
    ) -> Receipt:
        """Record an output. It is on disk before this returns; the receipt says whether the filter admitted it.

        `fields` say more about it: `agent_id`, `node_id`, `confidence`, `metadata`. With an LLM as judge the decision
        is pending and follows in the background, unless you `wait` for it. With `decide="later"` it always does:
        nothing but the durable write holds the caller up. The same `idempotency_key` again is stored once.
        """
        ...

    async def retrieve(
        self,
        query: str,
        *,
        max_results: int = 5,
        max_unverified: int = 10,
        time_range_days: float | None = None,
        relevance_threshold: float = 0.0,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Answer:
        """Return the most relevant verified memories and temporary context, each with its label.

        Name the session that asks: what it is served cannot come back from it as new evidence.
        """
        ...

    async def history_context(
        self,
        query: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        max_tokens: int = DEFAULT_TOKENS,
    ) -> str:
        """Return the Markdown block for a prompt: memories as fenced data, verified apart from unverified.

        `max_tokens` is how long it may be, about: beyond that whole items are left out, and it says how many.
        """
        answer = await self.retrieve(query, session_id=session_id, agent_id=agent_id)
        return history_context(answer, max_tokens=max_tokens)

    async def working(self) -> list[Entry]:
        """List working memory, newest first."""
        ...

    async def admission(self, entry_id: str) -> Admission | None:
        """Return what the filter decided on an entry, or None; nothing of what it says, so that agents may ask."""
        ...

    async def propose(self, entry_id: str, *, reason: str) -> Proposal:
        """Put an admitted entry before a person, among the insights that wait, with who proposes it and why.

        It is no more trusted for it, and nothing is promoted. One that waits already is left as it is.
        """
        ...

    def review(self, *, by: str) -> AsyncReview:
        """Open the review of this project in a person's name: they answer for all that is decided through it.

        A server knows its caller by the key, and refuses all that is done in another name than the key's.
        """
        ...


class ReadOnlyReview(VerifiedReads, Protocol):
    """What an auditor may read of a project, quarantine included. Not for agents; nothing here decides."""

    @property
    def project_id(self) -> str:
        """The project's name."""
        ...

    @property
    def by(self) -> str:
        """The person in whose name all of it is done."""
        ...

    async def last_digest(self) -> Digest | None:
        """Return the newest digest with what waits now, or None; nothing is made."""
        ...

    async def insights(
        self, *, decided: bool = False, after_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        """List all insights that wait, first to be decided on first, or those that are decided, newest first.

        With a `limit` no more than that many, with `after_id` only what follows this one in the list.
        """
        ...

    async def insight(self, insight_id: str) -> Insight | None:
        """Return one insight with all its sources and what was decided, or None."""
        ...

    async def log(self, wanted: EntryFilter | None = None) -> list[Receipt]:
        """List quarantine, newest first unless asked otherwise."""
        ...

    async def entry(self, entry_id: str) -> Receipt | None:
        """Return one quarantine entry, or None."""
        ...

    async def lineage(self, any_id: str) -> Lineage:
        """Say where a memory, an insight or an entry came from, what people decided, and who was served it."""
        ...

    async def audit_log(
        self, *, after: int = 0, before: int | None = None, limit: int = 1000, newest_first: bool = False
    ) -> list[AuditEvent]:
        """List the audit log in order, or the newest lines first, between two lines."""
        ...

    async def verify_audit(self) -> Audit:
        """Check the audit log's hash chain, and that every memory has its line in it."""
        ...

    async def flow(self, *, days: int = 30, offset: timedelta = timedelta(0)) -> DailyCounts:
        """Count what was recorded, admitted, refused and decided on each of the last days, and how old it all is.

        A day begins where clocks are `offset` ahead of UTC.
        """
        ...


class AsyncReview(ReadOnlyReview, Protocol):
    """A person's face of a project: read quarantine, make digests, decide in their name."""

    async def digest(self, *, days: float = 7, progress: Progress | None = None) -> Digest:
        """Make a digest now: the last days, and all that still waits, as at most ten insights to decide on.

        `progress` is called with how much is done, and of how much; by a server when it begins and when it is done. The
        same input gives the same digest.
        """
        ...

    async def promote(self, any_id: str, *, text: str | None = None) -> LongTermMemory:
        """Promote an insight or an entry into long-term memory. Twice changes nothing.

        Give a `text` to approve it in other words than its own. An insight that somebody else has decided on otherwise
        raises Conflict, which says who was first.
        """
        ...

    async def promote_text(self, text: str, *, atom: str | None = None) -> LongTermMemory:
        """Promote a person's own text into long-term memory. Twice changes nothing.

        `atom` names the atom of a knowledge base that the text is, as `KB_ID:ATOM_ID`: its lineage tells it.
        """
        ...

    async def dismiss(self, any_id: str, *, reason: str) -> Tombstone:
        """Dismiss an insight or an entry: it leaves working memory and must not come back.

        An insight decides all entries behind it. What was promoted raises Conflict: retire that memory instead.
        """
        ...

    async def retire(self, memory_id: str, *, reason: str, superseded: bool = False) -> Retirement:
        """Retire a long-term memory; the result names everyone who was served it.

        Its content must not come back. Of one that others have `superseded`, what they still say may.
        """
        ...

    async def delete(self, entry_id: str, *, reason: str) -> None:
        """Delete an entry from quarantine, and from working memory with it; it is audited."""
        ...


class Project(Front[AsyncProject]):
    """The agent's face of a project, for synchronous code; see `AsyncProject`."""

    @property
    def id(self) -> str:
        """The project's name."""
        return self.inner.id

    record = blocking(AsyncProject.record)
    retrieve = blocking(AsyncProject.retrieve)
    history_context = blocking(AsyncProject.history_context)
    working = blocking(AsyncProject.working)
    admission = blocking(AsyncProject.admission)
    propose = blocking(AsyncProject.propose)
    memories = blocking(AsyncProject.memories)
    memory = blocking(AsyncProject.memory)
    stats = blocking(AsyncProject.stats)

    def review(self, *, by: str) -> Review:
        """Open the review of this project in a person's name; see `AsyncProject.review`."""
        return Review(self.loop, self.inner.review(by=by), owner=self)


class Review(Front[AsyncReview]):
    """A person's face of a project, for synchronous code; see `AsyncReview`."""

    @property
    def project_id(self) -> str:
        """The project's name."""
        return self.inner.project_id

    @property
    def by(self) -> str:
        """The person in whose name all of it is done."""
        return self.inner.by

    digest = blocking(AsyncReview.digest)
    last_digest = blocking(AsyncReview.last_digest)
    insights = blocking(AsyncReview.insights)
    insight = blocking(AsyncReview.insight)
    promote = blocking(AsyncReview.promote)
    promote_text = blocking(AsyncReview.promote_text)
    dismiss = blocking(AsyncReview.dismiss)
    retire = blocking(AsyncReview.retire)
    delete = blocking(AsyncReview.delete)
    log = blocking(AsyncReview.log)
    entry = blocking(AsyncReview.entry)
    lineage = blocking(AsyncReview.lineage)
    audit_log = blocking(AsyncReview.audit_log)
    verify_audit = blocking(AsyncReview.verify_audit)
    memories = blocking(AsyncReview.memories)
    memory = blocking(AsyncReview.memory)
    stats = blocking(AsyncReview.stats)
    flow = blocking(AsyncReview.flow)
