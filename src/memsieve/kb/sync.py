"""Sync atoms into a project as verified memories: promote new and changed ones, retire removed ones."""

from __future__ import annotations

import hashlib
import unicodedata
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from memsieve.errors import InvalidInput, KnowledgeBaseError
from memsieve.kb.files import atomic, document
from memsieve.kb.files.layout import Layout, identity, known_identity, locked
from memsieve.kb.files.tree import atom_files
from memsieve.model import ATOM_PREFIX, MAX_LISTED, AuditEvent, LongTermMemory
from memsieve.ports import Progress
from memsieve.project import Review

# The limit of a server.
_LONGEST_REASON = 400
# The reasons that sync gives: it may promote again what it retired itself.
_ATOM_CHANGED, _ATOM_REMOVED = "atom changed", "atom removed"


class SyncOutcome(StrEnum):
    """The outcome of an atom, or of a memory made of one."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    WITHHELD = "withheld"
    KEPT = "kept"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncItem:
    """The outcome of an atom, or of a memory whose atom is gone, with a reason where it needs one."""

    outcome: SyncOutcome
    path: str | None
    atom_id: str | None
    memory_id: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What a sync did, or with `dry_run` would do."""

    items: tuple[SyncItem, ...]
    dry_run: bool

    def count(self, outcome: SyncOutcome) -> int:
        """Return the number of items with an outcome."""
        return sum(item.outcome is outcome for item in self.items)


def sync(layout: Layout, review: Review, *, dry_run: bool = False, progress: Progress | None = None) -> SyncReport:
    """Make the atoms verified memories of a project, in the name of the person who reviews it.

    The project knows which memory is which atom, so that every clone of the knowledge base continues from there.
    """
    atoms, refused = _atoms(layout, dry_run=dry_run)
    base = known_identity(layout) or ("" if dry_run else identity(layout))
    return _SyncRun(review, f"{ATOM_PREFIX}{base}:", dry_run).run(atoms, refused, progress)


@dataclass(frozen=True, slots=True)
class _Atom:
    """The current text of an atom."""

    path: str
    id: str
    text: str


def _atoms(layout: Layout, *, dry_run: bool) -> tuple[list[_Atom], list[SyncItem]]:
    """Return all atoms with a unique id, and those that cannot be synced."""
    found: list[_Atom] = []
    refused: list[SyncItem] = []
    for path in atom_files(layout):
        try:
            found.append(_read(layout, path))
        except KnowledgeBaseError as exc:
            refused.append(_refused(layout.relative(path), None, exc.reason))
        except FileNotFoundError:
            continue
    if not dry_run and not all(atom.id for atom in found):
        found = _with_ids(layout, found)
    owners = Counter(atom.id for atom in found if atom.id)
    for atom in found:
        if owners[atom.id] > 1:
            why = f"Another atom has the id {atom.id}. Remove the line `id:` of the copy, and it gets its own."
            refused.append(_refused(atom.path, atom.id, why))
    return [atom for atom in found if owners[atom.id] <= 1], refused


def _read(layout: Layout, path: Path) -> _Atom:
    read = document.read(path)
    # A clone on Windows has other line ends, but the same text.
    text = read.text.replace("\r\n", "\n")
    return _Atom(layout.relative(path), read.value("id"), text)


def _with_ids(layout: Layout, atoms: list[_Atom]) -> list[_Atom]:
    """Write an id into each atom without one, and return all atoms."""
    with locked(layout):
        return [atom if atom.id else _with_id(layout, atom) for atom in atoms]


def _with_id(layout: Layout, atom: _Atom) -> _Atom:
    path = layout.root / atom.path
    read = document.read(path)
    if not read.value("id"):
        atomic.replace(path, read.with_fields(id=str(uuid.uuid4())).encode())
    return _read(layout, path)


def _refused(path: str, atom_id: str | None, why: str) -> SyncItem:
    return SyncItem(outcome=SyncOutcome.REFUSED, path=path, atom_id=atom_id, memory_id=None, reason=why)


@dataclass
class _SyncRun:
    """One sync into one project; `base` is the prefix of the ids of its atoms."""

    review: Review
    base: str
    dry_run: bool
    atoms: dict[str, _Atom] = field(default_factory=dict)
    living: dict[str, list[LongTermMemory]] = field(default_factory=dict)
    items: dict[str, SyncItem] = field(default_factory=dict)

    def run(self, atoms: list[_Atom], refused: list[SyncItem], progress: Progress | None) -> SyncReport:
        """Promote all atoms, then retire what no atom says any more: a text that moved to another atom stays."""
        self.living = self._living_memories()
        self.atoms = {atom.id or atom.path: atom for atom in atoms}
        for number, (key, atom) in enumerate(self.atoms.items(), start=1):
            self.items[key] = self._promoted(atom)
            if progress is not None:
                progress(number, len(atoms))
        left = list(self._retire_leftovers(refused))
        return SyncReport(items=(*self.items.values(), *refused, *left), dry_run=self.dry_run)

    def _living_memories(self) -> dict[str, list[LongTermMemory]]:
        """Return the living memories made of atoms of this knowledge base, by atom id."""
        found: defaultdict[str, list[LongTermMemory]] = defaultdict(list)
        for memory in self._memories():
            for atom_id in self._atom_ids(memory):
                found[atom_id].append(memory)
        return dict(found)

    def _memories(self) -> Iterator[LongTermMemory]:
        after: str | None = None
        while page := self.review.memories(after_id=after, limit=MAX_LISTED):
            yield from page
            after = page[-1].id

    def _atom_ids(self, memory: LongTermMemory) -> list[str]:
        sources = memory.approval.entry_ids
        return [one.removeprefix(self.base) for one in sources if one.startswith(self.base)]

    @cached_property
    def _decisions(self) -> _Decisions:
        """Earlier decisions, read on first use: an unchanged knowledge base needs none."""
        return _Decisions.of(event for page in self._pages() for event in page)

    def _pages(self) -> Iterator[list[AuditEvent]]:
        after = 0
        while page := self.review.audit_log(after=after, limit=MAX_LISTED):
            yield page
            after = page[-1].sequence

    def _promoted(self, atom: _Atom) -> SyncItem:
        former = self.living.get(atom.id, [])
        same = next((memory for memory in former if _same(memory, atom)), None)
        if same is not None:
            return _item(SyncOutcome.UNCHANGED, atom, same.id)
        rejection = self._decisions.rejection(atom.text)
        if rejection is not None:
            why = (
                f"{rejection.actor} retired this text on {rejection.at:%Y-%m-%d}: {rejection.reason}. Change the atom."
            )
            return _item(SyncOutcome.WITHHELD, atom, rejection.subject, why)
        outcome = SyncOutcome.CHANGED if former else SyncOutcome.ADDED
        if self.dry_run:
            return _item(outcome, atom, None)
        try:
            name = f"{self.base.removeprefix(ATOM_PREFIX)}{atom.id}"
            made = self.review.promote_text(atom.text, atom=name)
        except InvalidInput as exc:
            return _refused(atom.path, atom.id, str(exc))
        return _item(outcome, atom, made.id)

    def _retire_leftovers(self, refused: list[SyncItem]) -> Iterator[SyncItem]:
        """Retire what no atom says any more; yield the memories that are no atom's item."""
        refused_ids = {item.atom_id for item in refused}
        unread = next((item.path for item in refused if item.atom_id is None), None)
        # An atom that lost its id has a new one and says the same.
        texts = {_plain(atom.text) for atom in self.atoms.values()}
        for memory in {memory.id: memory for some in self.living.values() for memory in some}.values():
            ids = self._atom_ids(memory)
            known = [self.atoms[one] for one in ids if one in self.atoms]
            if _plain(memory.approval.content) in texts or refused_ids.intersection(ids):
                continue
            if not all(map(self._is_synced, known)):
                continue
            item = self._retire(memory, ids, known, unread)
            if item is not None:
                yield item

    def _is_synced(self, atom: _Atom) -> bool:
        return self.items[atom.id].outcome not in {SyncOutcome.REFUSED, SyncOutcome.WITHHELD}

    def _retire(
        self, memory: LongTermMemory, ids: list[str], known: list[_Atom], unread: str | None
    ) -> SyncItem | None:
        kept = SyncItem(outcome=SyncOutcome.KEPT, path=None, atom_id=ids[0], memory_id=memory.id)
        if not known and unread is not None:
            return replace(kept, reason=f"{unread} could not be read, and may be its atom.")
        if self._decisions.promoted_elsewhere(memory.id, self.base):
            why = "No atom says it any more, but it was also promoted otherwise. Retire it by hand."
            return replace(kept, reason=why)
        reason = f"{_ATOM_CHANGED}: {known[0].path}"[:_LONGEST_REASON] if known else f"{_ATOM_REMOVED}: {ids[0]}"
        if not self.dry_run:
            self.review.retire(memory.id, reason=reason, superseded=True)
        if not known:
            return replace(kept, outcome=SyncOutcome.REMOVED)
        self.items[known[0].id] = _item(SyncOutcome.CHANGED, known[0], self.items[known[0].id].memory_id)
        return None


def _same(memory: LongTermMemory, atom: _Atom) -> bool:
    """Say whether a memory has the text of an atom, compared as the store compares texts."""
    return _plain(memory.approval.content) == _plain(atom.text)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _item(outcome: SyncOutcome, atom: _Atom, memory_id: str | None, reason: str = "") -> SyncItem:
    return SyncItem(outcome=outcome, path=atom.path, atom_id=atom.id or None, memory_id=memory_id, reason=reason)


@dataclass(frozen=True, slots=True)
class _Decisions:
    """Earlier decisions in the audit log: the sources of each promotion, and the texts that were retired last."""

    sources: dict[str, list[frozenset[str]]]
    retired: dict[str, AuditEvent]

    @classmethod
    def of(cls, events: Iterable[AuditEvent]) -> _Decisions:
        """Read the audit log in its order."""
        sources: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        contents: dict[str, str] = {}
        retired: dict[str, AuditEvent] = {}
        for event in events:
            if event.action == "promoted":
                sources[event.subject].append(frozenset(map(str, event.detail.get("entries", ()))))
                contents[event.subject] = str(event.detail.get("content"))
                retired.pop(contents[event.subject], None)
            elif event.action == "retired" and event.subject in contents:
                retired[contents[event.subject]] = event
        return cls(dict(sources), retired)

    def rejection(self, text: str) -> AuditEvent | None:
        """Return the event by which a person retired this text, if no later one promoted it again."""
        found = self.retired.get(hashlib.sha256(text.encode()).hexdigest())
        return None if found is None or found.reason.startswith((_ATOM_CHANGED, _ATOM_REMOVED)) else found

    def promoted_elsewhere(self, memory_id: str, base: str) -> bool:
        """Say whether a memory was also promoted from something else than atoms of this knowledge base."""
        promotions = self.sources.get(memory_id, [])
        return any(not named or not all(one.startswith(base) for one in named) for named in promotions)
