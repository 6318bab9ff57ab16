"""All atoms by path, name, source and concepts; unchanged ones come from a cache."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from memsieve import claims, refine, text
from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import atomic, document
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.files.fingerprints import code_version, file_stamp
from memsieve.kb.files.layout import Layout
from memsieve.kb.files.names import fold, safe
from memsieve.kb.files.tree import Tree, is_atom, walk_files
from memsieve.kb.refine.concept_index import ConceptIndex
from memsieve.kb.refine.report import FileOutcome, RefinedFile
from memsieve.ports import Progress
from memsieve.refine.concepts import concepts
from memsieve.refine.verdict import COVERED, KnownText

_CACHE_FILE = "concepts.json"
_MOST_CACHE_BYTES = 512 * 1024 * 1024
# Each is read and compared with the finding.
_MOST_KNOWN = 20


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom without its text."""

    path: str
    id: str
    title: str
    sources: tuple[str, ...]
    concepts: frozenset[str]

    @property
    def stem(self) -> str:
        return PurePosixPath(self.path).stem

    @property
    def names(self) -> set[str]:
        """All names by which a correction may refer to it, folded."""
        inner = self.path.removeprefix("atoms/")
        called = (self.id, self.title, safe(self.title, fallback="atom"), self.stem, inner, inner.rpartition(".")[0])
        return {fold(" ".join(name.split())) for name in called if name.strip()}


class Atoms:
    """All atoms of a knowledge base."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._atoms: dict[str, Atom] = {}
        self._index = ConceptIndex()
        self._by_source: dict[str, str] = {}
        self._by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def __iter__(self) -> Iterator[Atom]:
        return iter(self._atoms.values())

    def __getitem__(self, path: str) -> Atom:
        return self._atoms[path]

    def put(self, atom: Atom) -> None:
        """Add or replace an atom."""
        if (former := self._atoms.get(atom.path)) is not None:
            for name in former.names:
                self._by_name[name].pop(atom.path, None)
        self._atoms[atom.path] = atom
        self._index.put(atom.path, atom.concepts)
        self._by_source |= dict.fromkeys(atom.sources, atom.path)
        for name in atom.names:
            self._by_name[name][atom.path] = None

    def read(self, path: str) -> MarkdownDocument | None:
        """Read the document of an atom; None if it is gone or unreadable."""
        try:
            content = self._tree.read(path)
            return None if content is None else document.parse(document.decode(content, file=path), file=path)
        except KnowledgeBaseError:
            return None

    def made_of(self, finding: str) -> Atom | None:
        """Return the atom that a finding was promoted to."""
        path = self._by_source.get(finding)
        return None if path is None else self._atoms[path]

    def named(self, name: str) -> list[Atom]:
        """Return the atoms with a name: a title, a file with or without its folder, or an id."""
        wanted = (fold(" ".join(each.split())) for each in (name, safe(name, fallback="atom")))
        found = next((self._by_name[each] for each in wanted if self._by_name.get(each)), {})
        return [self._atoms[path] for path in found]

    def known(self, about: frozenset[str]) -> list[KnownText]:
        """Return the atoms that have enough of a finding's concepts to be compared with it."""
        read = ((path, self.read(path)) for path in self._index.covering(about, COVERED, _MOST_KNOWN))
        return [KnownText(id=path, content=found.text) for path, found in read if found is not None]

    def near(self, about: frozenset[str], least: float, most: int) -> list[Atom]:
        """Return the atoms nearest to a set of concepts, nearest first."""
        return [self._atoms[path] for path in self._index.nearest(about, least, most)]


def atom_of(path: str, found: MarkdownDocument) -> Atom:
    """Return the atom in a document."""
    sources = tuple(found.values("sources"))
    return Atom(path, found.value("id"), found.title(path), sources, concepts(found.text))


def load_atoms(tree: Tree, progress: Progress | None = None) -> tuple[Atoms, list[RefinedFile]]:
    """Load all atoms; also return those that could not be read."""
    layout, unread = tree.layout, list[RefinedFile]()
    cached = _ConceptCache.read(layout)
    loaded, entries = Atoms(tree), [entry for entry in walk_files(layout.atoms) if entry.name[0] != "."]
    for number, entry in enumerate(entries):
        path = layout.relative(Path(entry.path))
        if not is_atom(entry):
            unread += [_unread(path, "A link; links are not followed.")] if entry.is_symlink() else []
            continue
        try:
            loaded.put(cached.atom(path, entry.stat(follow_symlinks=False)) or _read(path, Path(entry.path)))
        except FileNotFoundError:
            continue
        except KnowledgeBaseError as exc:
            unread.append(_unread(path, exc.reason))
        if progress is not None:
            progress(number + 1, len(entries))
    if not tree.dry:
        cached.write(loaded)
    return loaded, unread


def _read(path: str, place: Path) -> Atom:
    return atom_of(path, document.read(place))


def _unread(path: str, why: str) -> RefinedFile:
    return RefinedFile(
        file=path, outcome=FileOutcome.KEPT, reason=f"This atom could not be read, so nothing was compared: {why}"
    )


@dataclass(slots=True)
class _ConceptCache:
    """On-disk cache of atoms by file stamp; a broken cache is rebuilt."""

    place: Path
    rows: dict[str, Any]
    now: int
    fresh: dict[str, Any]

    @classmethod
    def read(cls, layout: Layout) -> _ConceptCache:
        rows: dict[str, Any] = {}
        with suppress(OSError, ValueError, KnowledgeBaseError, RecursionError, AttributeError):
            atomic.require_folder(layout.cache)
            saved = json.loads(atomic.read(layout.cache / _CACHE_FILE, most=_MOST_CACHE_BYTES))
            rows = dict(saved["atoms"]) if saved.get("rules") == _concepts_version() else {}
        return cls(layout.cache / _CACHE_FILE, rows, time.time_ns(), {})

    def atom(self, path: str, found: os.stat_result) -> Atom | None:
        """Return the cached atom if its file is unchanged."""
        state = file_stamp(found, self.now)
        if state is None:
            return None
        self.fresh[path] = state
        with suppress(TypeError, ValueError, KeyError):
            saved, identity, title, sources, about = self.rows[path]
            if saved == state and _plain(identity, title, *sources, *about) and all(about):
                return Atom(path, identity, title, tuple(sources), frozenset(about))
        return None

    def write(self, atoms: Iterable[Atom]) -> None:
        """Save the atoms, unless nothing has changed."""
        rows = {
            atom.path: [self.fresh[atom.path], atom.id, atom.title, list(atom.sources), sorted(atom.concepts)]
            for atom in atoms
            if atom.path in self.fresh
        }
        if rows == self.rows:
            return
        # Without a cache, the next run reads the atoms again.
        with suppress(OSError, KnowledgeBaseError):
            atomic.make_folder(self.place.parent)
            atomic.replace(self.place, json.dumps({"rules": _concepts_version(), "atoms": rows}).encode())


def _plain(*values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


@cache
def _concepts_version() -> str:
    """Return the version of the code that extracts concepts: cached concepts are valid for that version only."""
    return code_version(claims, refine, text)
