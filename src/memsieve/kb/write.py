"""Write an item where its kind belongs; a finding that is there already is observed once more."""

from __future__ import annotations

import os
import uuid
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memsieve.claims import find_conflict
from memsieve.errors import KnowledgeBaseError
from memsieve.kb import items
from memsieve.kb.files import atomic, names
from memsieve.kb.files.document import Document
from memsieve.kb.files.layout import Layout, current_task, locked
from memsieve.kb.items import Item
from memsieve.kb.refine import finding
from memsieve.kb.refine.finding import NEW, Finding, Observation, folded, reads_same
from memsieve.refine.roles import turned_round

_LONGEST_COMPARED = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Where an item is, and what became of it: `written`, `observed` in a file that was there, or `known` already."""

    path: Path
    outcome: str
    id: str
    type: str
    task: str
    observations: int


def write(layout: Layout, item: Item, *, now: datetime) -> Written:
    """Write an item; it is on disk when this returns, and no other file was written over."""
    with locked(layout):
        layout.make_folders()
        at_hand = current_task(layout, item.task)
        row = Observation(id=str(uuid.uuid4()), task=at_hand, agent=item.agent, created=items.written_time(now))
        folder = layout.workspace / item.kind.folder
        there, free = _family(folder, item.file_name(now))
        if item.kind.is_finding:
            for path in there:
                if (written := _observed_again(path, item, row)) is not None:
                    return written
        atomic.create(folder / free, _new(item, row).encode())
        return _answer(folder / free, "written", item, row, 1)


def _family(folder: Path, name: str) -> tuple[list[Path], str]:
    """Return what is called so already, or so with a number, and the first such name that is free."""
    entries = {names.fold(entry): entry for entry in os.listdir(folder)}  # noqa: PTH208 - names are all that is needed
    there: list[Path] = []
    for candidate in names.numbered(name):
        if names.fold(candidate) not in entries:
            return there, candidate
        there.append(folder / entries[names.fold(candidate)])
    raise AssertionError


def _new(item: Item, row: Observation) -> Document:
    fields: dict[str, Any] = {
        "id": row.id,
        "type": item.type,
        "task": row.task,
        "agent": item.agent,
        "created": row.created,
        "tags": list(item.tags),
        "observations": 1,
        **{field: getattr(item, field) for field in item.kind.fields},
    }
    if item.kind.is_finding:
        fields |= {"status": NEW, "observed": [asdict(row)]}
        fields |= {} if item.evidence is None else {"evidence": [item.evidence.strip()]}
    return Document.of(fields, item.content)


def _observed_again(path: Path, item: Item, row: Observation) -> Written | None:
    """Add a finding to the file that holds it already, or return None where that says something else."""
    try:
        held = _read(path.name, atomic.read(path), row)
        if not _same_subject(held, item) or not _agrees(held.content, item):
            return None
        joined = held.joined(_read(path.name, _new(item, row).encode(), row))
        said_before = any((one.task, one.agent) == (row.task, row.agent) for one in held.observed)
        if said_before and joined.document is held.document:
            return _answer(path, "known", item, replace(row, id=held.id), len(held.tasks))
        encoded = joined.recorded(max(len(joined.tasks), len(joined.runs))).encode()
    # Broken, a link, or full: that file stays as it is, and the finding gets its own.
    except KnowledgeBaseError:
        return None
    atomic.replace(path, encoded)
    return _answer(path, "observed", item, row, len(joined.tasks))


def _read(file: str, content: bytes, row: Observation) -> Finding:
    return finding.read(file, content, task=row.task, now=row.created or "")


def _same_subject(held: Finding, item: Item) -> bool:
    [field] = item.kind.fields
    given = held.document.value("type"), folded(held.document.value(field))
    return given == (item.type, folded(getattr(item, field)))


def _agrees(text: str, item: Item) -> bool:
    # What corrects an atom takes its place: two corrections are one only if they read the same.
    if item.kind.is_correction:
        return reads_same(text, item.content)
    # Comparing takes seconds on long texts; those are one file only where one is in the other word for word.
    if max(len(text), len(item.content)) > _LONGEST_COMPARED:
        return folded(item.content) in folded(text)
    return (turned_round(item.content, text) or find_conflict(item.content, text)) is None


def _answer(path: Path, outcome: str, item: Item, row: Observation, observations: int) -> Written:
    identity, at_hand = row.id or "", row.task or ""
    return Written(path=path, outcome=outcome, id=identity, type=item.type, task=at_hand, observations=observations)
