"""Atoms as verified memories of a project: new, changed and removed ones are followed, in a person's name."""

from __future__ import annotations

import unicodedata
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from memsieve.errors import InvalidInput, KnowledgeBaseError
from memsieve.kb import history
from memsieve.kb.files import atomic, document
from memsieve.kb.files.layout import Layout, identity, known_identity, locked
from memsieve.kb.files.tree import atom_files
from memsieve.kb.history import History
from memsieve.model import ATOM_PREFIX, MAX_LISTED, AuditEvent, LongTermMemory
from memsieve.ports import Progress
from memsieve.project import Review

# A server takes no longer one.
_LONGEST_REASON = 400


class SyncOutcome(StrEnum):
    """What became of an atom or of a memory made of one."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    WITHHELD = "withheld"
    KEPT = "kept"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncItem:
    """One atom, or one memory whose atom is gone: what became of it, and why if that is not plain."""

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
        """Return how many ended so."""
        return sum(item.outcome is outcome for item in self.items)


def sync(
    layout: Layout,
    review: Review,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> SyncReport:
    """Make the atoms verified memories of a project, in the name of the person who reviews it.

    The project itself knows which memory is which atom, so that every clone of the knowledge base goes on from there.
    """
    atoms, refused = _atoms(layout, dry_run=dry_run)
    base = known_identity(layout) or ("" if dry_run else identity(layout))
    run = _Run(review, f"{ATOM_PREFIX}{base}:", dry_run)
    return run.over(atoms, refused, progress)


@dataclass(frozen=True, slots=True)
class _Atom:
    """An atom as it is now."""

    path: str
    id: str
    text: str


def _atoms(layout: Layout, *, dry_run: bool) -> tuple[list[_Atom], list[SyncItem]]:
    """Return all atoms, each with an id of its own, and those that cannot be brought."""
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
        found = _identified(layout, found)
    owners = Counter(atom.id for atom in found if atom.id)
    for atom in found:
        if owners[atom.id] > 1:
            why = f"Another atom has the id {atom.id}. Remove the line `id:` of the copy, and it gets its own."
            refused.append(_refused(atom.path, atom.id, why))
    return [atom for atom in found if owners[atom.id] <= 1], refused


def _read(layout: Layout, path: Path) -> _Atom:
    read = document.read(path)
    # A clone on Windows has other line ends, and must not be another text.
    text = read.text.replace("\r\n", "\n")
    return _Atom(layout.relative(path), read.value("id"), text)


def _identified(layout: Layout, atoms: list[_Atom]) -> list[_Atom]:
    """Write an id into each atom that has none, and return all as they are now."""
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
class _Run:
    """One sync into one project."""

    review: Review
    base: str
    dry_run: bool
    atoms: dict[str, _Atom] = field(default_factory=dict)
    standing: dict[str, list[LongTermMemory]] = field(default_factory=dict)
    items: dict[str, SyncItem] = field(default_factory=dict)

    def over(self, atoms: list[_Atom], refused: list[SyncItem], progress: Progress | None) -> SyncReport:
        """Bring all atoms, then retire what no atom says any more: what has moved to another is not lost between."""
        self.standing = self._standing()
        self.atoms = {atom.id or atom.path: atom for atom in atoms}
        for number, (key, atom) in enumerate(self.atoms.items(), start=1):
            self.items[key] = self._brought(atom)
            if progress is not None:
                progress(number, len(atoms))
        left = list(self._left_over(refused))
        return SyncReport(items=(*self.items.values(), *refused, *left), dry_run=self.dry_run)

    def _standing(self) -> dict[str, list[LongTermMemory]]:
        """Return the living memories made of atoms of this knowledge base, by the atoms' ids."""
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
    def _history(self) -> History:
        """What people decided before, read at first need: an unchanged knowledge base needs none of it."""
        return History.of(event for page in self._pages() for event in page)

    def _pages(self) -> Iterator[list[AuditEvent]]:
        after = 0
        while page := self.review.audit_log(after=after, limit=MAX_LISTED):
            yield page
            after = page[-1].sequence

    def _brought(self, atom: _Atom) -> SyncItem:
        former = self.standing.get(atom.id, [])
        same = next((memory for memory in former if _same(memory, atom)), None)
        if same is not None:
            return _item(SyncOutcome.UNCHANGED, atom, same.id)
        rejection = self._history.rejection(atom.text)
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

    def _left_over(self, refused: list[SyncItem]) -> Iterator[SyncItem]:
        """Retire what no atom says any more, and yield what is to be told of it beside the atoms."""
        held = {item.atom_id for item in refused}
        unread = next((item.path for item in refused if item.atom_id is None), None)
        # An atom that lost its id has another now, and says the same.
        said = {_plain(atom.text) for atom in self.atoms.values()}
        for memory in {memory.id: memory for some in self.standing.values() for memory in some}.values():
            ids = self._atom_ids(memory)
            known = [self.atoms[one] for one in ids if one in self.atoms]
            if _plain(memory.approval.content) in said or held.intersection(ids):
                continue
            if not all(map(self._is_brought, known)):
                continue
            item = self._gone(memory, ids, known, unread)
            if item is not None:
                yield item

    def _is_brought(self, atom: _Atom) -> bool:
        return self.items[atom.id].outcome not in {SyncOutcome.REFUSED, SyncOutcome.WITHHELD}

    def _gone(self, memory: LongTermMemory, ids: list[str], known: list[_Atom], unread: str | None) -> SyncItem | None:
        told = SyncItem(outcome=SyncOutcome.KEPT, path=None, atom_id=ids[0], memory_id=memory.id)
        if not known and unread is not None:
            return _because(told, f"{unread} could not be read, and may be its atom.")
        if self._history.stands_without(memory.id, self.base):
            return _because(told, "No atom says it any more, but it was also promoted otherwise. Retire it by hand.")
        reason = f"{history.CHANGED}: {known[0].path}"[:_LONGEST_REASON] if known else f"{history.REMOVED}: {ids[0]}"
        if not self.dry_run:
            self.review.retire(memory.id, reason=reason, superseded=True)
        if not known:
            return SyncItem(outcome=SyncOutcome.REMOVED, path=None, atom_id=ids[0], memory_id=memory.id)
        self.items[known[0].id] = _item(SyncOutcome.CHANGED, known[0], self.items[known[0].id].memory_id)
        return None


def _same(memory: LongTermMemory, atom: _Atom) -> bool:
    """Say whether a memory is what an atom says, as the store tells texts apart."""
    return _plain(memory.approval.content) == _plain(atom.text)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _item(outcome: SyncOutcome, atom: _Atom, memory_id: str | None, reason: str = "") -> SyncItem:
    return SyncItem(outcome=outcome, path=atom.path, atom_id=atom.id or None, memory_id=memory_id, reason=reason)


def _because(item: SyncItem, reason: str) -> SyncItem:
    return SyncItem(outcome=item.outcome, path=None, atom_id=item.atom_id, memory_id=item.memory_id, reason=reason)
