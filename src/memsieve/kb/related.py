"""Relations between atoms: few, by what they are about, and told by both sides."""

from __future__ import annotations

import posixpath
import uuid
from pathlib import PurePosixPath

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.atoms import Atoms
from memsieve.kb.document import Document
from memsieve.kb.tree import Tree

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
