"""A correction replaces what the atom it names says; what that said before stays in its history."""

from __future__ import annotations

import posixpath
import re
import uuid
from difflib import get_close_matches
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import document, names
from memsieve.kb.files.document import Document
from memsieve.kb.files.fingerprints import content_hash
from memsieve.kb.files.names import fold
from memsieve.kb.files.tree import Tree
from memsieve.kb.refine.atoms import Atom, Atoms, atom_of
from memsieve.kb.refine.finding import Finding, reads_same
from memsieve.kb.refine.journal import Step, Write
from memsieve.kb.refine.report import FileOutcome
from memsieve.refine.concepts import concepts

_HEADING = re.compile(r"# .*")
_WORD = re.compile(r"\w+")
_MOST_COMPARED = 2000
_MOST_NAMED = 3


def correct(finding: Finding, atoms: Atoms, at: str) -> Step:
    """Return what a correction does to the atom it names, or why it waits."""
    found = atoms.named(finding.title)
    if len(found) != 1:
        return _waiting(finding, _unclear(finding.title, found, atoms))
    [atom] = found
    held = atoms.read(atom.path)
    if held is None:
        return _waiting(finding, f"{atom.path} changed and cannot be read. Mend it, and refine again.")
    return _replaced(finding, atom, held, at)


def _replaced(finding: Finding, atom: Atom, held: Document, at: str) -> Step:
    body = _body(finding.content, held.text)
    if reads_same(body, held.text):
        said = finding.told(FileOutcome.DUPLICATE, f"{atom.path} says this already.", atom=atom.path)
        return Step(items=(said,), deletes=(finding.gone(),))
    try:
        written = _corrected(finding, held, body, at)
    except KnowledgeBaseError as exc:
        return _waiting(finding, f"{atom.path} cannot take it with its history: {exc.problem}")
    why = "It replaced what the atom said; that is kept in its history."
    told = finding.told(FileOutcome.CORRECTED, why, atom=atom.path)
    return Step(items=(told,), write=Write(atom.path, written, content_hash(held.render())), deletes=(finding.gone(),))


def _corrected(finding: Finding, held: Document, body: str, at: str) -> str:
    history = held.fields.get("history")
    former = {
        "replaced": at,
        "finding": finding.id,
        "task": next(iter(finding.tasks), "") or None,
        "by": finding.observed[0].agent,
        "content": held.text.replace("\r\n", "\n"),
    }
    rows: list[Any] = [*(history if isinstance(history, list) else []), former]
    return held.with_fields(history=rows, updated=at).with_body(body).whole()


def _body(content: str, former: str) -> str:
    """Return what a correction says, under the heading that the atom has."""
    heading = _HEADING.match(former)
    return content if heading is None or _HEADING.match(content) else f"{heading[0].rstrip()}\n\n{content}"


def _unclear(name: str, found: list[Atom], atoms: Atoms) -> str:
    if found:
        named = ", ".join(atom.path for atom in found[:_MOST_NAMED])
        return f"Several atoms are called {name!r}: {named}. Name one by its folder and file in atom_name."
    near = _near(name, atoms)
    hint = f" These come near: {', '.join(near)}." if near else ""
    return f"No atom is called {name!r}.{hint} Mend atom_name, or delete this."


def _near(name: str, atoms: Atoms) -> list[str]:
    """Return the atoms with the most similar names, among those that share a word or a beginning."""
    wanted = fold(name)
    words = set(_WORD.findall(wanted))
    alike = (
        atom for atom in atoms if any(each[:2] == wanted[:2] or words & {*_WORD.findall(each)} for each in atom.names)
    )
    paths = {each: atom.path for atom in islice(alike, _MOST_COMPARED) for each in atom.names}
    close = get_close_matches(wanted, list(paths), n=2 * _MOST_NAMED, cutoff=0.5)
    return list(dict.fromkeys(paths[each] for each in close))[:_MOST_NAMED]


def _waiting(finding: Finding, why: str) -> Step:
    return Step(items=(finding.told(FileOutcome.KEPT, why),))


# What refine says of an atom itself, or what concerns a finding only; all else that a person noted goes with it.
_OWN = frozenset("id type task agent created tags observations description status observed runs title sources".split())


def atom(finding: Finding, observations: int, at: str, tree: Tree, atoms: Atoms) -> Write:
    """Return the atom that a finding becomes."""
    body = finding.content if finding.content.startswith("# ") else f"# {finding.title}\n\n{finding.content}"
    path = _free(f"atoms/{finding.kind.category}", names.safe(finding.title, fallback="atom"), tree)
    fields = _fields(finding, observations, at) | {"related": relations(path, concepts(body), atoms)}
    try:
        return Write(path, Document.of(fields, body).whole(), None)
    except KnowledgeBaseError as exc:
        raise KnowledgeBaseError(f"It would make an atom that cannot be read: {exc.problem}") from exc


def _fields(finding: Finding, observations: int, at: str) -> dict[str, Any]:
    agents = dict.fromkeys(row.agent for row in finding.observed if row.agent)
    return {
        "id": str(uuid.uuid4()),
        "type": (finding.kind.category or finding.kind.name).removesuffix("s"),
        "title": finding.title,
        "tags": finding.tags,
        "tasks": [task for task in finding.tasks if task],
        "agents": list(agents),
        "created": at,
        "observations": observations,
        "sources": finding.sources,
        **{name: value for name, value in finding.document.fields.items() if name not in _OWN},
    }


def _free(folder: str, name: str, tree: Tree) -> str:
    return next(f"{folder}/{each}" for each in names.numbered(f"{name}.md") if not tree.is_taken(folder, each))


MOST = 5
# An atom that so many point to is near to everything, and tells nothing more.
_MOST_BACK = 20
# Measured: see tests/unit/test_kb_related.py.
NEAR = 0.2
_FIELD = "related"


def relations(path: str, about: frozenset[str], atoms: Atoms) -> list[str]:
    """Return what a new atom shall point to, as it is written in its file."""
    near = (atom.path for atom in atoms.near(about, NEAR, 2 * MOST) if atom.path != path)
    open_ones = [other for other in near if _has_room(atoms.read(other))]
    return [_from(path, other) for other in open_ones[:MOST]]


def point_back(path: str, tree: Tree, atoms: Atoms) -> None:
    """Let every atom that this one points to point to it, once."""
    found = atoms.read(path)
    for link in found.values(_FIELD) if found is not None else ():
        other = posixpath.normpath(f"{PurePosixPath(path).parent}/{link}")
        held = atoms.read(other) if other.startswith("atoms/") else None
        if held is not None and _has_room(held) and (changed := _pointing(held, _from(other, path))) is not None:
            tree.replace(other, changed)


def _pointing(held: Document, link: str) -> bytes | None:
    """Return an atom with one more relation; None where it has it, or has no room for it."""
    links = held.values(_FIELD)
    if link in links:
        return None
    try:
        identity = {} if held.value("id") else {"id": str(uuid.uuid4())}
        return held.with_fields(**identity, related=[*links, link]).encode()
    except KnowledgeBaseError:
        return None


def _has_room(held: Document | None) -> bool:
    return held is not None and len(held.values(_FIELD)) < _MOST_BACK


def _from(path: str, other: str) -> str:
    return posixpath.relpath(other, PurePosixPath(path).parent)


def apply(step: Step, tree: Tree, atoms: Atoms) -> bool:
    """Do a step, or the rest of it; say no, and do no more, where somebody changed a file after it was decided."""
    try:
        return _applied(step, tree, atoms)
    # A journal may come from anywhere, and a folder may have become a link.
    except KnowledgeBaseError:
        return False


def _applied(step: Step, tree: Tree, atoms: Atoms) -> bool:
    if step.write is not None and not _written(step.write, tree):
        return False
    if step.write is not None and step.write.path.startswith("atoms/"):
        atoms.put(atom_of(step.write.path, document.parse(step.write.text)))
    if step.atom is not None:
        point_back(step.atom, tree, atoms)
    gone = [_deleted(delete.path, delete.before, tree) for delete in step.deletes]
    return all(gone)


def _written(write: Write, tree: Tree) -> bool:
    held = _mark(write.path, tree)
    if held == content_hash(write.text):
        return True
    if held != write.before:
        return False
    try:
        if held is None:
            tree.create(write.path, write.text.encode())
        else:
            tree.replace(write.path, write.text.encode())
    except FileExistsError:
        return False
    return True


def _deleted(path: str, before: str, tree: Tree) -> bool:
    held = _mark(path, tree)
    if held == before:
        tree.delete(path)
    return held in {before, None}


def _mark(path: str, tree: Tree) -> str | None:
    """Return the mark of what a file holds; one that has become a link or a folder has a mark like no other."""
    try:
        content = tree.read(path)
    except KnowledgeBaseError:
        return ""
    return None if content is None else content_hash(content)
