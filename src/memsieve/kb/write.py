"""Write an item into its folder; a finding that waits there already gets one more observation."""

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
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.files.layout import Layout, current_task, locked
from memsieve.kb.items import Item
from memsieve.kb.refine.finding import NEW, FindingFile, Observation, folded, parse_finding, reads_same
from memsieve.refine.concepts import find_exchange

_LONGEST_COMPARED = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Where an item is, and its outcome: `written`, `observed` in an existing file, or `known` already."""

    path: Path
    outcome: str
    id: str
    type: str
    task: str
    observations: int


def write(layout: Layout, item: Item, *, now: datetime) -> Written:
    """Write an item, durable on return; no other file is overwritten."""
    with locked(layout):
        layout.make_folders()
        task = current_task(layout, item.task)
        row = Observation(id=str(uuid.uuid4()), task=task, agent=item.agent, created=items.written_time(now))
        folder = layout.workspace / item.kind.folder
        existing, free = _existing_and_free(folder, item.file_name(now))
        if item.kind.is_finding:
            for path in existing:
                if (written := _observed_again(path, item, row)) is not None:
                    return written
        atomic.create(folder / free, _new(item, row).encode())
        return _written(folder / free, "written", item, row, 1)


def _existing_and_free(folder: Path, name: str) -> tuple[list[Path], str]:
    """Return the existing files of that name, numbered ones included, and the first free name."""
    entries = {names.fold(entry): entry for entry in os.listdir(folder)}  # noqa: PTH208 - names are all that is needed
    existing: list[Path] = []
    for candidate in names.numbered(name):
        if names.fold(candidate) not in entries:
            return existing, candidate
        existing.append(folder / entries[names.fold(candidate)])
    raise AssertionError


def _new(item: Item, row: Observation) -> MarkdownDocument:
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
    return MarkdownDocument.of(fields, item.content)


def _observed_again(path: Path, item: Item, row: Observation) -> Written | None:
    """Add an observation to an existing file, or return None if that says something else."""
    try:
        found = _read(path.name, atomic.read(path), row)
        if not _same_subject(found, item) or not _agrees(found.content, item):
            return None
        merged = found.merged(_read(path.name, _new(item, row).encode(), row))
        is_repeated = any((one.task, one.agent) == (row.task, row.agent) for one in found.observed)
        if is_repeated and merged.document is found.document:
            return _written(path, "known", item, replace(row, id=found.id), len(found.tasks))
        encoded = merged.with_observations(max(len(merged.tasks), len(merged.runs))).encode()
    # The file is broken, a link, or full: it stays as it is, and the finding gets its own.
    except KnowledgeBaseError:
        return None
    atomic.replace(path, encoded)
    return _written(path, "observed", item, row, len(merged.tasks))


def _read(file: str, content: bytes, row: Observation) -> FindingFile:
    return parse_finding(file, content, task=row.task, now=row.created or "")


def _same_subject(found: FindingFile, item: Item) -> bool:
    [field] = item.kind.fields
    given = found.document.value("type"), folded(found.document.value(field))
    return given == (item.type, folded(getattr(item, field)))


def _agrees(text: str, item: Item) -> bool:
    # A correction replaces an atom's text: two corrections are one only if they read the same.
    if item.kind.is_correction:
        return reads_same(text, item.content)
    # Comparing long texts takes seconds: they are one only if one contains the other word for word.
    if max(len(text), len(item.content)) > _LONGEST_COMPARED:
        return folded(item.content) in folded(text)
    return (find_exchange(item.content, text) or find_conflict(item.content, text)) is None


def _written(path: Path, outcome: str, item: Item, row: Observation, observations: int) -> Written:
    identity, task = row.id or "", row.task or ""
    return Written(path=path, outcome=outcome, id=identity, type=item.type, task=task, observations=observations)
