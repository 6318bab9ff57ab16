"""What is wrong in a knowledge base, each with its file and line; nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import document, items, layout, walk
from memsieve.kb.document import Document
from memsieve.kb.layout import Layout
from memsieve.kb.links import relative_links

_PLACES = frozenset({"session", "staging", "reports", "task", "refine.jsonl"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something to mend: where it is, and what to do."""

    file: str
    line: int | None
    problem: str


@dataclass(slots=True)
class _Looking:
    """What one look at a knowledge base has found so far."""

    base: Layout
    problems: list[Problem] = field(default_factory=list)
    atoms: dict[Path, Document] = field(default_factory=dict)
    others: list[Path] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    linked: set[Path] = field(default_factory=set)

    def report(self, path: Path, problem: str, line: int | None = None) -> None:
        self.problems.append(Problem(file=self.base.relative(path), line=line, problem=problem))


def check(base: Layout) -> tuple[Problem, ...]:
    """Return what is wrong, by file and line."""
    looking = _Looking(base)
    try:
        base.require_plain()
        layout.known_identity(base)
    except KnowledgeBaseError as exc:
        return (_problem(base, exc, base.root),)
    _read_atoms(looking)
    for folder in (items.SESSION, items.STAGING, items.REPORTS):
        _check_items(looking, folder)
    _check_workspace(looking)
    for path, atom in looking.atoms.items():
        _check_atom(looking, path, atom)
    _check_strays(looking)
    return tuple(sorted(looking.problems, key=lambda problem: (problem.file, problem.line or 0)))


def _read_atoms(looking: _Looking) -> None:
    for entry in walk.below(looking.base.atoms):
        path = Path(entry.path)
        if entry.is_symlink():
            looking.report(path, "This is a link, and links are not followed. Put the file itself here.")
        elif walk.is_atom(entry):
            if (read := _read(looking, path)) is not None:
                looking.atoms[path] = read
                _note_id(looking, path, read)
        elif entry.name[0] != ".":
            looking.others.append(path)


def _check_items(looking: _Looking, folder: str) -> None:
    for entry in walk.entries(looking.base.workspace / folder):
        path = Path(entry.path)
        reason = walk.foreign(folder, entry)
        if entry.name[0] == "." and not entry.is_symlink():
            continue
        if reason is not None:
            looking.report(path, f"{reason} It is left alone; rename it, or move it away.")
        elif entry.name != items.STAGING_REPORT and (read := _read(looking, path)) is not None:
            _check_item(looking, path, read, folder)


def _check_item(looking: _Looking, path: Path, read: Document, folder: str) -> None:
    kind = read.fields.get("type")
    of_name = items.type_of(folder, path.name)
    if kind is not None and not (isinstance(kind, str) and kind in items.TYPES):
        known = ", ".join(items.TYPES)
        looking.report(path, f"The type {kind!r} is unknown; the types are {known}.", read.line("type"))
    elif kind is not None and of_name is not None and items.TYPES[kind].folder != folder:
        looking.report(path, f"A {kind} does not belong in {folder}/. Move it.", read.line("type"))
    if not read.text and folder == items.STAGING:
        looking.report(path, "This says nothing. Write what was found below the front matter.", read.body_line)
    _note_id(looking, path, read)


def _check_workspace(looking: _Looking) -> None:
    for entry in walk.entries(looking.base.workspace):
        if entry.is_symlink():
            looking.report(Path(entry.path), "This is a link, and links are not followed. Remove it.")
        elif entry.name not in _PLACES and entry.name[0] != ".":
            looking.report(Path(entry.path), "This belongs nowhere here, and is left alone. Move it away.")


def _check_atom(looking: _Looking, path: Path, atom: Document) -> None:
    if not atom.text:
        looking.report(path, "This atom says nothing. Write its content, or remove it.", atom.body_line)
    for number, target in relative_links(atom.body):
        _check_link(looking, path, target, atom.body_line + number)
    for target in _related(looking, path, atom):
        if target not in looking.ids and not any(_there(place / target) for place in _starts(looking, path)):
            problem = f"`related` names {target!r}, which is not there. Correct it, or take it out."
            looking.report(path, problem, atom.line("related"))


def _check_link(looking: _Looking, path: Path, target: str, line: int) -> None:
    place = Path(os.path.normpath(path.parent / target))
    looking.linked.add(place)
    if not _there(place):
        looking.report(path, f"The link to {target!r} leads nowhere. Correct it, or take it out.", line)


def _related(looking: _Looking, path: Path, atom: Document) -> Iterator[str]:
    related = atom.fields.get("related")
    if related is None:
        return
    related = [related] if isinstance(related, str) else related
    if not isinstance(related, list) or not all(isinstance(one, str) for one in related):
        looking.report(path, "`related` must be a list of atoms. Write one a line: - name", atom.line("related"))
        return
    yield from related


def _starts(looking: _Looking, path: Path) -> tuple[Path, ...]:
    return path.parent, looking.base.atoms, looking.base.root


def _check_strays(looking: _Looking) -> None:
    for path in looking.others:
        if path not in looking.linked:
            looking.report(path, "This is no atom (.md), and no atom links to it. Move it away.")


def _note_id(looking: _Looking, path: Path, read: Document) -> None:
    """Notice an id that two files have, or that front matter lacks; a plain note needs none."""
    if read.head is None:
        return
    given = read.fields.get("id")
    if given is None or str(given).strip() == "":
        looking.report(path, "The front matter has no id. Add a line such as `id: <a new UUID>`.", 1)
    elif str(given) in looking.ids:
        problem = f"This id is that of {looking.ids[str(given)]}, too. Give one of them another."
        looking.report(path, problem, read.line("id"))
    else:
        looking.ids[str(given)] = looking.base.relative(path)


def _read(looking: _Looking, path: Path) -> Document | None:
    try:
        return document.read(path)
    except FileNotFoundError:
        return None
    except KnowledgeBaseError as exc:
        looking.problems.append(_problem(looking.base, exc, path))
        return None


def _problem(base: Layout, exc: KnowledgeBaseError, path: Path) -> Problem:
    file = path if exc.file is None else Path(exc.file)
    place = base.relative(file) if file.is_relative_to(base.root) else str(file)
    return Problem(file=place, line=exc.line, problem=exc.problem)


def _there(place: Path) -> bool:
    try:
        return place.exists()
    except (OSError, ValueError):
        return False
