"""Look at a knowledge base without changing it: its status, and every problem with file and line."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import items
from memsieve.kb.files import atomic, document, layout
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.files.layout import Layout, named_task, stored_task
from memsieve.kb.files.tree import atom_files, is_atom, list_folder, walk_files
from memsieve.kb.refine import journal
from memsieve.kb.refine.finding import NEW, parse_finding
from memsieve.model import Refinement

_WORKSPACE = frozenset({"session", "staging", "reports", "task", "refine.jsonl"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedFinding:
    """A finding in staging."""

    file: str
    type: str
    subject: str
    observations: int
    certain: bool
    status: str
    needed: int = Refinement.NEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownFile:
    """A file that is left alone, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The findings that wait, the files of the workspace, and the number of atoms by folder."""

    root: Path
    id: str | None
    task: str | None
    findings: tuple[StagedFinding, ...]
    session: tuple[str, ...]
    reports: tuple[str, ...]
    atoms: Mapping[str, int]
    unknown: tuple[UnknownFile, ...]
    unfinished: bool


def status(base: Layout, *, observations: str = "evidence") -> Status:
    """Return the status of a knowledge base."""
    base.require_plain()
    unknown: list[UnknownFile] = []
    task, by_runs = named_task() or stored_task(base), observations == "runs"
    staged = _known(base, items.STAGING, unknown)
    findings = [_waiting(base, entry, task, unknown, by_runs=by_runs) for entry in staged]
    return Status(
        root=base.root,
        id=layout.known_identity(base),
        task=task,
        findings=tuple(each for each in findings if each is not None),
        session=tuple(entry.name for entry in _known(base, items.SESSION, unknown)),
        reports=tuple(entry.name for entry in _known(base, items.REPORTS, unknown)),
        atoms=_categories(base),
        unknown=tuple(unknown),
        unfinished=journal.unfinished(base.journal),
    )


def _known(base: Layout, folder: str, unknown: list[UnknownFile]) -> list[os.DirEntry[str]]:
    """Return the items in a folder of the workspace, and collect the files that are none."""
    known: list[os.DirEntry[str]] = []
    for entry in list_folder(base.workspace / folder):
        if (reason := items.why_unknown(folder, entry)) is None:
            known.append(entry)
        elif entry.name[0] != ".":
            unknown.append(UnknownFile(file=base.relative(Path(entry.path)), reason=reason))
    return known


def _waiting(
    base: Layout, entry: os.DirEntry[str], task: str | None, unknown: list[UnknownFile], *, by_runs: bool
) -> StagedFinding | None:
    """Return a finding as the next refine will count it."""
    file = base.relative(Path(entry.path))
    try:
        found = parse_finding(entry.name, atomic.read(Path(entry.path)), task=task, now="")
    except KnowledgeBaseError as exc:
        unknown.append(UnknownFile(file=file, reason=exc.reason))
        return None
    return StagedFinding(
        file=file,
        type=found.kind.name,
        subject=found.title,
        observations=len(found.runs if by_runs else found.tasks),
        certain=bool(found.evidence),
        status=found.document.value("status") or NEW,
    )


def _categories(base: Layout) -> dict[str, int]:
    """Return how many atoms each folder under `atoms/` has."""
    counted = Counter(_category(base, path) for path in atom_files(base))
    return dict(sorted(counted.items()))


def _category(base: Layout, path: Path) -> str:
    folder = path.relative_to(base.atoms).parts[:-1]
    return folder[0] if folder else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProblem:
    """A problem: where it is, and what to do about it."""

    file: str
    line: int | None
    problem: str


def check(base: Layout) -> tuple[FileProblem, ...]:
    """Return every problem, by file and line."""
    checker = _Checker(base)
    try:
        base.require_plain()
        layout.known_identity(base)
    except KnowledgeBaseError as exc:
        checker.report_error(exc, base.root)
    else:
        checker.check()
    return tuple(sorted(checker.problems, key=lambda problem: (problem.file, problem.line or 0)))


@dataclass(slots=True)
class _Checker:
    """Collects the problems of a knowledge base."""

    base: Layout
    problems: list[FileProblem] = field(default_factory=list)
    atoms: dict[Path, MarkdownDocument] = field(default_factory=dict)
    others: list[Path] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    linked: set[Path] = field(default_factory=set)

    def check(self) -> None:
        self._read_atoms()
        for folder in (items.SESSION, items.STAGING, items.REPORTS):
            self._check_folder(folder)
        self._check_workspace()
        for path, atom in self.atoms.items():
            self._check_atom(path, atom)
        for path in self.others:
            if path not in self.linked:
                self.report(path, "This is no atom (.md), and no atom links to it. Move it away.")

    def report(self, path: Path, problem: str, line: int | None = None) -> None:
        self.problems.append(FileProblem(file=self.base.relative(path), line=line, problem=problem))

    def report_error(self, exc: KnowledgeBaseError, path: Path) -> None:
        file = path if exc.file is None else Path(exc.file)
        place = self.base.relative(file) if file.is_relative_to(self.base.root) else str(file)
        self.problems.append(FileProblem(file=place, line=exc.line, problem=exc.problem))

    def _read_atoms(self) -> None:
        for entry in walk_files(self.base.atoms):
            path = Path(entry.path)
            if entry.is_symlink():
                self.report(path, "This is a link, and links are not followed. Put the file itself here.")
            elif is_atom(entry):
                if (read := self._read(path)) is not None:
                    self.atoms[path] = read
                    self._check_id(path, read)
            elif entry.name[0] != ".":
                self.others.append(path)

    def _read(self, path: Path) -> MarkdownDocument | None:
        try:
            return document.read(path)
        except FileNotFoundError:
            return None
        except KnowledgeBaseError as exc:
            self.report_error(exc, path)
            return None

    def _check_folder(self, folder: str) -> None:
        for entry in list_folder(self.base.workspace / folder):
            path = Path(entry.path)
            if entry.name[0] == "." and not entry.is_symlink():
                continue
            if (reason := items.why_unknown(folder, entry)) is not None:
                self.report(path, f"{reason} It is left alone; rename it, or move it away.")
            elif entry.name != items.STAGING_REPORT and (read := self._read(path)) is not None:
                self._check_item(path, read, folder)

    def _check_item(self, path: Path, read: MarkdownDocument, folder: str) -> None:
        kind = read.fields.get("type")
        of_name = items.type_of(folder, path.name)
        if kind is not None and not (isinstance(kind, str) and kind in items.TYPES):
            known = ", ".join(items.TYPES)
            self.report(path, f"The type {kind!r} is unknown; the types are {known}.", read.line("type"))
        elif kind is not None and of_name is not None and items.TYPES[kind].folder != folder:
            self.report(path, f"A {kind} does not belong in {folder}/. Move it.", read.line("type"))
        if not read.text and folder == items.STAGING:
            self.report(path, "This says nothing. Write what was found below the front matter.", read.body_line)
        self._check_id(path, read)

    def _check_workspace(self) -> None:
        for entry in list_folder(self.base.workspace):
            if entry.is_symlink():
                self.report(Path(entry.path), "This is a link, and links are not followed. Remove it.")
            elif entry.name not in _WORKSPACE and entry.name[0] != ".":
                self.report(Path(entry.path), "This belongs nowhere here, and is left alone. Move it away.")

    def _check_atom(self, path: Path, atom: MarkdownDocument) -> None:
        if not atom.text:
            self.report(path, "This atom says nothing. Write its content, or remove it.", atom.body_line)
        for number, target in document.relative_links(atom.body):
            self._check_link(path, target, atom.body_line + number)
        folders = path.parent, self.base.atoms, self.base.root
        for target in self._related(path, atom):
            if target not in self.ids and not any(_exists(folder / target) for folder in folders):
                problem = f"`related` names {target!r}, which is not there. Correct it, or take it out."
                self.report(path, problem, atom.line("related"))

    def _check_link(self, path: Path, target: str, line: int) -> None:
        linked = Path(os.path.normpath(path.parent / target))
        self.linked.add(linked)
        if not _exists(linked):
            self.report(path, f"The link to {target!r} leads nowhere. Correct it, or take it out.", line)

    def _related(self, path: Path, atom: MarkdownDocument) -> list[str]:
        related = atom.fields.get("related")
        related = [related] if isinstance(related, str) else [] if related is None else related
        if isinstance(related, list) and all(isinstance(one, str) for one in related):
            return related
        self.report(path, "`related` must be a list of atoms. Write one a line: - name", atom.line("related"))
        return []

    def _check_id(self, path: Path, read: MarkdownDocument) -> None:
        """Report an id that two files have, or that front matter lacks; a plain note needs none."""
        if read.head is None:
            return
        given = read.fields.get("id")
        if given is None or str(given).strip() == "":
            self.report(path, "The front matter has no id. Add a line such as `id: <a new UUID>`.", 1)
        elif str(given) in self.ids:
            problem = f"This id is that of {self.ids[str(given)]}, too. Give one of them another."
            self.report(path, problem, read.line("id"))
        else:
            self.ids[str(given)] = self.base.relative(path)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
