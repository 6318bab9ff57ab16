"""A correction replaces what the atom it names says; what that said before stays in its history."""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import islice
from typing import Any

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.atoms import Atom, Atoms
from memsieve.kb.document import Document
from memsieve.kb.finding import Finding, reads_same
from memsieve.kb.names import fold
from memsieve.kb.report import Fate
from memsieve.kb.step import Step, Write, mark

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
        said = finding.told(Fate.DUPLICATE, f"{atom.path} says this already.", atom=atom.path)
        return Step(items=(said,), deletes=(finding.gone(),))
    try:
        written = _corrected(finding, held, body, at)
    except KnowledgeBaseError as exc:
        return _waiting(finding, f"{atom.path} cannot take it with its history: {exc.problem}")
    why = "It replaced what the atom said; that is kept in its history."
    told = finding.told(Fate.CORRECTED, why, atom=atom.path)
    return Step(items=(told,), write=Write(atom.path, written, mark(held.render())), deletes=(finding.gone(),))


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
    return Step(items=(finding.told(Fate.KEPT, why),))
