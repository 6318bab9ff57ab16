"""How a knowledge base stands: what waits and how near it is, what is kept, and what nobody knows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import files, finding, items, journal, layout, task, walk
from memsieve.kb.layout import Layout
from memsieve.model import Refinement


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Something that waits in staging."""

    file: str
    type: str
    subject: str
    observations: int
    certain: bool
    status: str
    needed: int = Refinement.NEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A file that is left alone, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a knowledge base stands."""

    root: Path
    id: str | None
    task: str | None
    findings: tuple[Waiting, ...]
    session: tuple[str, ...]
    reports: tuple[str, ...]
    atoms: Mapping[str, int]
    unknown: tuple[Unknown, ...]
    unfinished: bool


def status(base: Layout, *, observations: str = "evidence") -> Status:
    """Look at a knowledge base; nothing is changed."""
    base.require_plain()
    unknown: list[Unknown] = []
    at_hand, by_runs = task.named() or task.peek(base), observations == "runs"
    staged = _known(base, items.STAGING, unknown)
    findings = [_waiting(base, entry, at_hand, unknown, by_runs=by_runs) for entry in staged]
    return Status(
        root=base.root,
        id=layout.known_identity(base),
        task=at_hand,
        findings=tuple(each for each in findings if each is not None),
        session=tuple(entry.name for entry in _known(base, items.SESSION, unknown)),
        reports=tuple(entry.name for entry in _known(base, items.REPORTS, unknown)),
        atoms=_categories(base),
        unknown=tuple(unknown),
        unfinished=journal.unfinished(base.journal),
    )


def _known(base: Layout, folder: str, unknown: list[Unknown]) -> list[os.DirEntry[str]]:
    """Return the items in a folder of the workspace, and set aside what is none."""
    known: list[os.DirEntry[str]] = []
    for entry in walk.entries(base.workspace / folder):
        if (reason := walk.foreign(folder, entry)) is None:
            known.append(entry)
        elif entry.name[0] != ".":
            unknown.append(Unknown(file=base.relative(Path(entry.path)), reason=reason))
    return known


def _waiting(
    base: Layout, entry: os.DirEntry[str], at_hand: str | None, unknown: list[Unknown], *, by_runs: bool
) -> Waiting | None:
    """Return a finding as the next refine will see it."""
    file = base.relative(Path(entry.path))
    try:
        found = finding.read(entry.name, files.read(Path(entry.path)), task=at_hand, now="")
    except KnowledgeBaseError as exc:
        unknown.append(Unknown(file=file, reason=exc.reason))
        return None
    return Waiting(
        file=file,
        type=found.kind.name,
        subject=found.title,
        observations=len(found.runs if by_runs else found.tasks),
        certain=bool(found.evidence),
        status=found.document.value("status") or finding.NEW,
    )


def _categories(base: Layout) -> dict[str, int]:
    """Return how many atoms each folder under `atoms/` has."""
    counted = Counter(_category(base, path) for path in walk.atoms(base))
    return dict(sorted(counted.items()))


def _category(base: Layout, path: Path) -> str:
    folder = path.relative_to(base.atoms).parts[:-1]
    return folder[0] if folder else ""
