"""What is wrong in a knowledge base, each with its file and line; nothing is changed."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import items
from memsieve.kb.files import atomic, document, layout
from memsieve.kb.files.document import Document
from memsieve.kb.files.layout import Layout, named_task, stored_task
from memsieve.kb.files.tree import atom_files, is_atom, list_folder, walk_files
from memsieve.kb.refine import journal
from memsieve.kb.refine.finding import NEW, parse_finding
from memsieve.model import Refinement

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
    for entry in walk_files(looking.base.atoms):
        path = Path(entry.path)
        if entry.is_symlink():
            looking.report(path, "This is a link, and links are not followed. Put the file itself here.")
        elif is_atom(entry):
            if (read := _read(looking, path)) is not None:
                looking.atoms[path] = read
                _note_id(looking, path, read)
        elif entry.name[0] != ".":
            looking.others.append(path)


def _check_items(looking: _Looking, folder: str) -> None:
    for entry in list_folder(looking.base.workspace / folder):
        path = Path(entry.path)
        reason = items.why_unknown(folder, entry)
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
    for entry in list_folder(looking.base.workspace):
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
    at_hand, by_runs = named_task() or stored_task(base), observations == "runs"
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
    for entry in list_folder(base.workspace / folder):
        if (reason := items.why_unknown(folder, entry)) is None:
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
        found = parse_finding(entry.name, atomic.read(Path(entry.path)), task=at_hand, now="")
    except KnowledgeBaseError as exc:
        unknown.append(Unknown(file=file, reason=exc.reason))
        return None
    return Waiting(
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


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"`[^`]*`")
# [text](target "title"), ![picture](target), [text](<target with spaces>)
_INLINE = re.compile(r"\]\(\s*(?:<([^<>]*)>|((?:[^()\s<>]|\([^()\s]*\))+))")
# [name]: target
_REFERENCE = re.compile(r" {0,3}\[[^\[\]]+\]:\s*(?:<([^<>]*)>|(\S+))")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\#]|$")


def relative_links(text: str) -> Iterator[tuple[int, str]]:
    """Yield each relative link with its line from 0; links in code, to the web and within the page are left out."""
    fence = ""
    for number, line in enumerate(text.split("\n")):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            yield from ((number, target) for target in _targets(line))


def _targets(line: str) -> Iterator[str]:
    plain = _CODE.sub("", line)
    found = [*_INLINE.finditer(plain), *_REFERENCE.finditer(plain, 0, len(plain))]
    for match in found:
        target = match[1] if match[1] is not None else match[2]
        if not _ELSEWHERE.match(target):
            yield unquote(re.split("[#?]", target, maxsplit=1)[0])
