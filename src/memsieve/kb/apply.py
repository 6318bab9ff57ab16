"""Do what was decided: the atom is on disk before its finding goes, and doing it again changes nothing."""

from __future__ import annotations

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import document
from memsieve.kb.atoms import Atoms, atom_of
from memsieve.kb.related import point_back
from memsieve.kb.step import Step, Write, mark
from memsieve.kb.tree import Tree


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
    if held == mark(write.text):
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
    return None if content is None else mark(content)
