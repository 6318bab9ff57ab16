"""What each store, embedder and model must offer. Each line of a docstring is a promise that a contract test checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from memsieve.model import (
    Admission,
    Answer,
    ApiKey,
    Approval,
    AuditEvent,
    AuditNote,
    Chunk,
    ContextItem,
    DailyCounts,
    DateRange,
    Digest,
    Entry,
    EntryFilter,
    Event,
    Insight,
    InsightSource,
    LongTermMemory,
    Reason,
    Receipt,
    Scope,
    SearchHit,
    Serving,
    Stats,
    Tombstone,
    Totals,
    Vector,
)

Clock = Callable[[], datetime]
# Progress callback: (done, total).
Progress = Callable[[int, int], None]

WORKING_LIFE = timedelta(hours=24)
WORKING_CAP = 50
# How many of these a session, and a key, may hold while others want them.
SESSION_SHARE = 10
KEY_SHARE = 25
CHUNK_SIZE = 500
# How far two clocks may differ before a time counts as lying in the future.
CLOCK_SKEW = timedelta(minutes=5)
# The lease of a digest that is being made: after it another scheduler may take the digest over.
RUN_LEASE = timedelta(minutes=15)
# Runs dated further ahead are ignored: they come from a skewed clock, and no later run would ever be due.
RUN_AHEAD = timedelta(days=7)
# Events are kept this long.
EVENTS_KEPT = timedelta(hours=24)
# A text of this many characters or more is checked in a thread, beside the event loop.
LONG_TEXT = 4000


class QuarantineStore(Protocol):
    """Tier 1: every entry that was ever recorded. Nothing in it is retrievable."""

    async def add(self, scope: Scope, entry: Entry, idempotency_key: str | None = None) -> Receipt:
        """Store an entry durably before returning, as pending until the filter decides.

        - The same id or idempotency key with the same content is stored once, and what is stored is returned.
        - With other content it raises Conflict.
        - The receipt is `new` if this call stored the entry.
        """

    async def add_all(self, scope: Scope, entries: Sequence[Entry]) -> list[Receipt]:
        """Store many entries in one transaction, as `add` does each; return their receipts in the same order.

        - Of two with the same id the first is `new`.
        - A known id with other content raises Conflict, and nothing is written.
        """

    async def decide(self, scope: Scope, entry_id: str, admission: Admission, vector: Vector | None) -> None:
        """Store the filter's decision in place of an earlier one, and the entry's vector where there is one.

        - Without a vector, a decided entry counts as one that the embedder cannot read.
        - Raises NotFound if the entry was deleted.
        """

    async def get(self, scope: Scope, entry_id: str) -> Receipt | None:
        """Return an entry of this project, or None. Agents are refused."""

    async def get_many(self, scope: Scope, entry_ids: Sequence[str]) -> list[Receipt]:
        """Return those of these entries that are there, in the order of their ids here. Agents are refused."""

    async def find(self, scope: Scope, wanted: EntryFilter) -> list[Receipt]:
        """Return the matching entries of this project, newest first unless asked otherwise. Agents are refused."""

    async def delete(self, scope: Scope, entry_id: str, reason: str) -> bool:
        """Remove an entry and write the audit event, in one transaction; False if there was none. Persons only.

        Waiting insights with this entry among their sources are deleted too, and decided ones lose their quotes of it.
        """


class WorkingStore(Protocol):
    """Tier 2: what passed the filter, for 24 hours, 50 entries of a project."""

    async def put(self, scope: Scope, entry: Entry, admission: Admission, life: timedelta = WORKING_LIFE) -> None:
        """Keep an admitted entry for `life` from now, by the store's own time.

        - Only 50 of a project stay, the newest where one session says all of it.
        - A session or key beyond its share pushes out none but its own oldest; one within it, the oldest of the
          session that holds most.
        - Idempotent: a repeated put does not extend the expiry.
        - The order is that of admission, also for entries restored with less life left.
        - An entry that was not admitted raises Conflict.
        - Nothing is kept for longer than `WORKING_LIFE`.
        """

    async def list(self, scope: Scope) -> list[Entry]:
        """Return this project's living entries with their vectors, newest first; expired ones never."""

    async def forget(self, scope: Scope, entry_ids: Sequence[str]) -> int:
        """Remove entries now; return how many were there."""


class LongTermStore(Protocol):
    """Tier 3: what a person approved."""

    async def add(self, scope: Scope, approval: Approval, chunks: Sequence[Chunk]) -> LongTermMemory:
        """Write all chunks, the approval and its audit event in one transaction. Persons only.

        - Content that is already verified is not written again: the living memory is returned, with any new source
          entries added to it.
        - Tombstones of the same content or of its source entries are lifted.
        - The insight that is approved is decided as promoted to the memory that is returned.
        - An insight that was decided before raises Conflict, which says by whom; nothing is written.
        - An insight that is gone raises NotFound; nothing is written.
        """

    async def add_all(self, scope: Scope, approved: Sequence[tuple[Approval, Sequence[Chunk]]]) -> int:
        """Write many approvals in one transaction, each with its audit event; return how many. Persons only.

        - Content that is verified already is left out.
        - An approval of an insight is left out too: `add` decides those.
        """

    async def search(
        self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int, since: datetime | None = None
    ) -> list[SearchHit]:
        """Return the `limit` chunks with the best fused score among those best by vector and best by words.

        A word score is BM25, as a share of the score of a text of average length that has each word once. The
        neighbours of a found memory in its session, by the origins of the approvals, are returned too; each is also
        scored by the words of its neighbours. Retired memories are never returned and take no part in it.
        """

    async def get(self, scope: Scope, any_id: str) -> LongTermMemory | None:
        """Return the memory with this id, or with a chunk or a source entry of this id; the living one first."""

    async def find(
        self,
        scope: Scope,
        after_id: str | None,
        limit: int,
        *,
        text: str | None = None,
        retired: bool = False,
        newest_first: bool = False,
    ) -> list[LongTermMemory]:
        """Return living memories, or retired ones, in the order they were approved, after the given id.

        With a `text` only those that hold it, in capitals or not; `newest_first` turns the order round.
        """

    async def retire(self, scope: Scope, memory_id: str, reason: str, tombstones: Sequence[Tombstone]) -> bool:
        """Take a memory out of retrieval, with tombstones and audit event, in one transaction. Persons only.

        False if it was retired before.
        """


class TombstoneStore(Protocol):
    """Content that people rejected and that must not come back."""

    async def add(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
        """Write a tombstone and its audit event in one transaction; return the source's living tombstone. Persons only.

        - A source has one living tombstone: the first stays.
        - An insight that is the source is decided as dismissed, and stays so when the tombstone is lifted.
        - An insight that was promoted before raises Conflict, which says by whom; nothing is written.
        """

    async def nearest(self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int) -> list[Tombstone]:
        """Return the living tombstones nearest by vector and by words, at most `limit` of each."""


class ServingLog(Protocol):
    """Which memories were served to whom."""

    async def log_answer(self, scope: Scope, answer: Answer) -> None:
        """Keep who was served which items."""

    async def recently_served(self, scope: Scope, *, session_id: str, limit: int) -> list[ContextItem]:
        """Return the distinct items served to a session, newest first, with content and vector."""

    async def servings_of(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        """Return every answer that contained one of these items. Agents are refused."""


class AuditLog(Protocol):
    """The hash-chained log of what people did. The stores append to it in the transaction of each action."""

    async def events(
        self,
        scope: Scope,
        after: int = 0,
        limit: int = 1000,
        *,
        before: int | None = None,
        newest_first: bool = False,
    ) -> list[AuditEvent]:
        """Return audit events in order, between two lines; `newest_first` turns it round. Agents are refused."""

    async def note(self, scope: Scope, note: AuditNote, subject: str, at: datetime) -> None:
        """Write an audit event that is no decision: nothing else changes. Agents are refused."""

    async def head(self, scope: Scope) -> int:
        """Return the number of the newest audit event, 0 where there is none. Agents are refused."""


class DigestStore(Protocol):
    """Insights and the digests that made them. They hold quarantine's words: nothing in it is retrievable.

    Promoting or dismissing an insight decides it, in the transaction of `LongTermStore.add` or `TombstoneStore.add`.
    """

    async def undecided(self, scope: Scope, since: datetime) -> list[Receipt]:
        """Return what a digest looks at, in the order it was recorded. Agents are refused.

        - The entries recorded since then.
        - The sources of every insight that waits, and of every one that could not be kept because an entry was deleted
          or decided on.
        - Not those that a person has decided on, as an entry or with an insight.
        """

    async def insights(
        self, scope: Scope, *, decided: bool, before_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        """Return the insights that wait, or those that are decided, in the order they were made, with all sources.

        - With a `limit`, only the newest of them, at most that many; with `before_id`, only those made before that one.
        - A memory that was retired since is not the nearest any more.
        - Agents are refused.
        """

    async def get(self, scope: Scope, insight_id: str) -> Insight | None:
        """Return an insight of this project, or None. Agents are refused."""

    async def save(
        self,
        scope: Scope,
        digest: Digest,
        *,
        merged: Sequence[str] = (),
        later: Mapping[str, Sequence[InsightSource]] | None = None,
    ) -> Digest:
        """Keep a digest with its insights in one transaction, and return it with all insights that wait then.

        - An insight with a known id replaces the waiting one if it has the same words: what a person saw under an id is
          what they promote. A decided one is left as it was.
        - Insights `merged` into others no longer wait.
        - Sources said `later` join the history of a decided insight.
        - An entry that a person decided on meanwhile is left out.
        - An insight without an entry left is left out, and so is one of which an entry was deleted meanwhile: its
          summary may hold the words.
        - Agents are refused.
        """

    async def put(self, scope: Scope, insight: Insight) -> bool:
        """Keep one insight that waits, without a digest. Agents are refused.

        - Idempotent.
        - False, and nothing is kept, if it was decided, is there in other words, or has no undecided entry left.
        """

    async def last(self, scope: Scope) -> Digest | None:
        """Return the newest digest with all insights that wait now, in the order they were made, or None.

        Agents are refused.
        """


class DigestRuns(Protocol):
    """Which weekly digests were made, so that one is made once however many schedulers there are.

    - A run taken by a clock that ran ahead, or made by one that ran more than `RUN_AHEAD` ahead, does not count.
    - Agents are refused.
    """

    async def take(self, scope: Scope, due: datetime) -> bool:
        """Take the digest that was due then; False if it was made, or is being made, or a later one is.

        The lease ends after `RUN_LEASE`.
        """

    async def done(self, scope: Scope, due: datetime) -> None:
        """Say that the digest due then is made."""

    async def release(self, scope: Scope, due: datetime) -> None:
        """Release the lease of a digest that could not be made, so that it can be taken again at once.

        One that was made stays made, and a later one is not touched.
        """

    async def newest(self, scope: Scope) -> datetime | None:
        """Return when the newest digest that was made was due, or None."""


class Statistics(Protocol):
    """Counts of what the stores hold."""

    async def projects(self) -> list[str]:
        """Return the names of all projects, sorted."""

    async def waiting(self) -> list[str]:
        """Return the names of the projects with entries the filter has not decided on, sorted."""

    async def stats(self, scope: Scope) -> Stats:
        """Return one project's counts."""

    async def flow(self, scope: Scope, span: DateRange) -> DailyCounts:
        """Return one project's counts for each day of a range, and the ages of its memories and insights.

        Entries count on the day they were recorded, as they are decided now; decisions on the day they were made.
        """

    async def totals(self) -> Totals:
        """Return the counts of all projects together; `promoted` counts entries that a memory came from."""

    async def refusals(self) -> Mapping[str, int]:
        """Return for each check how many entries of all projects are refused that it failed, the most first."""


class EventLog(Protocol):
    """The events of all projects, in order, never any content; written by the stores with each change.

    - Positions are texts, and their order is that of the events.
    - A malformed position raises InvalidInput.
    """

    async def newest(self) -> str:
        """Return the position now: every later event comes after it."""

    async def oldest(self) -> str:
        """Return the position after which all events are kept; before it some may be gone."""

    async def since(self, position: str, limit: int = 1000) -> list[Event]:
        """Return the events of all projects after a position, in order.

        No event appears later between those that were returned, however many write at once.
        """

    async def of(self, scope: Scope, position: str | None, limit: int) -> list[Event]:
        """Return the events of one project after a position, as `since` does; without a position all that are kept.

        After a position before `oldest` it returns those that are kept.
        """

    async def forget(self, before: datetime) -> int:
        """Drop the events before then; return how many there were."""


class KeyStore(Protocol):
    """The API keys of all projects; of a secret only its hash."""

    async def add(self, key: ApiKey, secret_hash: bytes) -> None:
        """Keep a new key and write its audit event, in one transaction; a known id raises Conflict.

        The event is in the log of the key's project, or of `SERVER_PROJECT` for a key without one.
        """

    async def get(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Return a key, revoked or not, with the hash of its secret, by one indexed read; None if it is unknown."""

    async def revoke(self, key_id: str, by: str, at: datetime) -> ApiKey | None:
        """Revoke a key for good and write its audit event, in one transaction; return it, or None if it is unknown.

        Idempotent: the first revocation stays.
        """

    async def used(self, key_id: str, at: datetime) -> None:
        """Note when a key was used; the latest time stays. A crash of the store may lose the last moments of it."""

    async def list(self, project_id: str | None = None) -> list[ApiKey]:
        """Return the keys of a project, or all there are, revoked ones too, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleText:
    """A text of any tier that another embedder has seen: where it lies, and which embedder that was."""

    kind: str
    project_id: str
    sequence: int
    embedder: str
    content: str


class VectorStore(Protocol):
    """The vectors beside the texts of all tiers and projects. An entry that is not decided on may have none yet."""

    async def stale(self) -> int:
        """Return how many texts were last seen by another embedder, whether it could read them or not."""

    async def next_stale(self, after: StaleText | None, limit: int) -> list[StaleText]:
        """Return such texts in the order of their need, after the given one, which may be gone by then.

        Long-term memory comes first, then tombstones, insights, working memory and quarantine, each from the newest
        back.
        """

    async def put(self, made: Sequence[tuple[StaleText, Vector | None]]) -> list[StaleText]:
        """Put vectors in place, None for what cannot be read, in one transaction; nothing else of a text changes.

        - A text that was deleted, or seen by yet another embedder meanwhile, is left alone; the others are returned.
        - Every later search, in any process, finds by the new vectors, once a project has them all.
        """

    async def forget(self, embedder: str) -> int:
        """Drop the memories' vectors of a former embedder, kept for processes that still use it; return how many.

        Where a text has one vector only there are none. Nothing else of a memory changes.
        """


class Embedder(Protocol):
    """Turns text into vectors of length one."""

    @property
    def name(self) -> str:
        """The model's name, stored with every vector it makes."""

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None while a remote model has made none yet."""

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return one vector for each text, in order; None for a text in a script the model cannot read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's answer: does the text hold together, and if not, why not."""

    consistent: bool
    reason: Reason


class Judge(Protocol):
    """Says whether a text contradicts itself or is an obvious hallucination."""

    @property
    def quick(self) -> bool:
        """True when a verdict takes milliseconds, so that recording may wait for it."""

    async def consistent(self, content: str) -> Verdict:
        """Return a verdict, or raise JudgeError when there is no clear one."""


class Summariser(Protocol):
    """Puts into a few sentences what several texts say."""

    @property
    def name(self) -> str:
        """The model's name, shown with every summary it made."""

    async def summarise(self, texts: Sequence[str]) -> str:
        """Return what the texts say in common, in their language, or raise JudgeError when there is no clear answer."""
