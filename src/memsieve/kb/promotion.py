"""A finding becomes an atom: what is written, and where."""

from __future__ import annotations

import uuid
from typing import Any

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import names
from memsieve.kb.atoms import Atoms
from memsieve.kb.document import Document
from memsieve.kb.finding import Finding
from memsieve.kb.related import relations
from memsieve.kb.step import Write
from memsieve.kb.tree import Tree
from memsieve.refine.concepts import concepts

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
