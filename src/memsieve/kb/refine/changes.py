"""Changes to atoms: promote a finding, apply a correction, link related atoms, and carry out a step."""

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
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.files.fingerprints import content_hash
from memsieve.kb.files.names import fold
from memsieve.kb.files.tree import Tree
from memsieve.kb.refine.atoms import Atom, Atoms, atom_of
from memsieve.kb.refine.finding import FindingFile, reads_same
from memsieve.kb.refine.journal import RefineStep, Write
from memsieve.kb.refine.report import FileOutcome
from memsieve.refine.concepts import concepts

_HEADING = re.compile(r"# .*")
_WORD = re.compile(r"\w+")
_MOST_COMPARED = 2000
_MOST_NAMED = 3
# Fields that refine writes itself, or that only a finding has; an atom keeps all others.
_REFINE_FIELDS = frozenset(
    "id type task agent created tags observations description status observed runs title sources".split()
)
NEW_RELATIONS = 5
# An atom with this many relations is related to everything, which says nothing.
_MOST_RELATIONS = 20
# Measured: see tests/unit/test_kb_related.py.
NEAR = 0.2
_RELATED = "related"


def correct(finding: FindingFile, atoms: Atoms, at: str) -> RefineStep:
    """Return the step of a correction: it replaces the text of the atom it names, or waits with a reason."""
    found = atoms.named(finding.title)
    if len(found) != 1:
        return _keep(finding, _ambiguity(finding.title, found, atoms))
    [atom] = found
    current = atoms.read(atom.path)
    if current is None:
        return _keep(finding, f"{atom.path} changed and cannot be read. Mend it, and refine again.")
    return _replace(finding, atom, current, at)


def _replace(finding: FindingFile, atom: Atom, current: MarkdownDocument, at: str) -> RefineStep:
    body = _body(finding.content, current.text)
    if reads_same(body, current.text):
        result = finding.result(FileOutcome.DUPLICATE, f"{atom.path} says this already.", atom=atom.path)
        return RefineStep(items=(result,), deletes=(finding.deletion(),))
    try:
        written = _corrected(finding, current, body, at)
    except KnowledgeBaseError as exc:
        return _keep(finding, f"{atom.path} cannot take it with its history: {exc.problem}")
    why = "It replaced what the atom said; that is kept in its history."
    result = finding.result(FileOutcome.CORRECTED, why, atom=atom.path)
    return RefineStep(
        items=(result,), write=Write(atom.path, written, content_hash(current.render())), deletes=(finding.deletion(),)
    )


def _corrected(finding: FindingFile, current: MarkdownDocument, body: str, at: str) -> str:
    history = current.fields.get("history")
    former = {
        "replaced": at,
        "finding": finding.id,
        "task": next(iter(finding.tasks), "") or None,
        "by": finding.observed[0].agent,
        "content": current.text.replace("\r\n", "\n"),
    }
    rows: list[Any] = [*(history if isinstance(history, list) else []), former]
    return current.with_fields(history=rows, updated=at).with_body(body).whole()


def _body(content: str, former: str) -> str:
    """Return the text of a correction under the heading of the atom."""
    heading = _HEADING.match(former)
    return content if heading is None or _HEADING.match(content) else f"{heading[0].rstrip()}\n\n{content}"


def _ambiguity(name: str, found: list[Atom], atoms: Atoms) -> str:
    if found:
        named = ", ".join(atom.path for atom in found[:_MOST_NAMED])
        return f"Several atoms are called {name!r}: {named}. Name one by its folder and file in atom_name."
    near = _similar(name, atoms)
    hint = f" These come near: {', '.join(near)}." if near else ""
    return f"No atom is called {name!r}.{hint} Mend atom_name, or delete this."


def _similar(name: str, atoms: Atoms) -> list[str]:
    """Return the atoms with the most similar names, among those that share a word or the first two letters."""
    wanted = fold(name)
    words = set(_WORD.findall(wanted))
    alike = (
        atom for atom in atoms if any(each[:2] == wanted[:2] or words & {*_WORD.findall(each)} for each in atom.names)
    )
    paths = {each: atom.path for atom in islice(alike, _MOST_COMPARED) for each in atom.names}
    close = get_close_matches(wanted, list(paths), n=2 * _MOST_NAMED, cutoff=0.5)
    return list(dict.fromkeys(paths[each] for each in close))[:_MOST_NAMED]


def _keep(finding: FindingFile, why: str) -> RefineStep:
    return RefineStep(items=(finding.result(FileOutcome.KEPT, why),))


def promote(finding: FindingFile, observations: int, at: str, tree: Tree, atoms: Atoms) -> Write:
    """Return the write of the atom that a finding becomes."""
    body = finding.content if finding.content.startswith("# ") else f"# {finding.title}\n\n{finding.content}"
    path = _free(f"atoms/{finding.kind.category}", names.safe(finding.title, fallback="atom"), tree)
    fields = _fields(finding, observations, at) | {"related": relations(path, concepts(body), atoms)}
    try:
        return Write(path, MarkdownDocument.of(fields, body).whole(), None)
    except KnowledgeBaseError as exc:
        raise KnowledgeBaseError(f"It would make an atom that cannot be read: {exc.problem}") from exc


def _fields(finding: FindingFile, observations: int, at: str) -> dict[str, Any]:
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
        **{name: value for name, value in finding.document.fields.items() if name not in _REFINE_FIELDS},
    }


def _free(folder: str, name: str, tree: Tree) -> str:
    return next(f"{folder}/{each}" for each in names.numbered(f"{name}.md") if not tree.is_taken(folder, each))


def relations(path: str, about: frozenset[str], atoms: Atoms) -> list[str]:
    """Return the links of a new atom to its nearest atoms, relative to its file."""
    near = (atom.path for atom in atoms.near(about, NEAR, 2 * NEW_RELATIONS) if atom.path != path)
    with_room = [other for other in near if _has_room(atoms.read(other))]
    return [_link(path, other) for other in with_room[:NEW_RELATIONS]]


def link_back(path: str, tree: Tree, atoms: Atoms) -> None:
    """Add a link to this atom in every atom that it links to, unless it is there."""
    found = atoms.read(path)
    for link in found.values(_RELATED) if found is not None else ():
        other = posixpath.normpath(f"{PurePosixPath(path).parent}/{link}")
        current = atoms.read(other) if other.startswith("atoms/") else None
        if (
            current is not None
            and _has_room(current)
            and (changed := _with_link(current, _link(other, path))) is not None
        ):
            tree.replace(other, changed)


def _with_link(current: MarkdownDocument, link: str) -> bytes | None:
    """Return an atom with one more relation; None if it has it already or would become too large."""
    links = current.values(_RELATED)
    if link in links:
        return None
    try:
        identity = {} if current.value("id") else {"id": str(uuid.uuid4())}
        return current.with_fields(**identity, related=[*links, link]).encode()
    except KnowledgeBaseError:
        return None


def _has_room(current: MarkdownDocument | None) -> bool:
    return current is not None and len(current.values(_RELATED)) < _MOST_RELATIONS


def _link(path: str, other: str) -> str:
    return posixpath.relpath(other, PurePosixPath(path).parent)


def apply(step: RefineStep, tree: Tree, atoms: Atoms) -> bool:
    """Carry out a step, or the rest of it; return False and stop if a file has changed since the decision."""
    try:
        return _apply(step, tree, atoms)
    # The journal may not be ours, and a folder may have become a link.
    except KnowledgeBaseError:
        return False


def _apply(step: RefineStep, tree: Tree, atoms: Atoms) -> bool:
    if step.write is not None and not _write(step.write, tree):
        return False
    if step.write is not None and step.write.path.startswith("atoms/"):
        atoms.put(atom_of(step.write.path, document.parse(step.write.text)))
    if step.atom is not None:
        link_back(step.atom, tree, atoms)
    deleted = [_delete(delete.path, delete.before, tree) for delete in step.deletes]
    return all(deleted)


def _write(write: Write, tree: Tree) -> bool:
    current = _hash(write.path, tree)
    if current == content_hash(write.text):
        return True
    if current != write.before:
        return False
    try:
        if current is None:
            tree.create(write.path, write.text.encode())
        else:
            tree.replace(write.path, write.text.encode())
    except FileExistsError:
        return False
    return True


def _delete(path: str, before: str, tree: Tree) -> bool:
    current = _hash(path, tree)
    if current == before:
        tree.delete(path)
    return current in {before, None}


def _hash(path: str, tree: Tree) -> str | None:
    """Return the hash of a file, None if there is none; a link or a folder has a hash that matches nothing."""
    try:
        content = tree.read(path)
    except KnowledgeBaseError:
        return ""
    return None if content is None else content_hash(content)
