"""List the files of a knowledge base, and change those that refine may change; a dry run only pretends to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import atomic
from memsieve.kb.files.layout import Layout
from memsieve.kb.files.names import fold

# No part begins with a dot, so that none leads up or is hidden, and none has the separator of another system.
_PART = r"[^./\\:\0][^/\\:\0]*"
_WRITABLE = re.compile(rf"(?:atoms(?:/{_PART})+|workspace/staging/{_PART})(?<=\.md)", re.IGNORECASE | re.DOTALL)
_DELETABLE = re.compile(rf"workspace/(?:staging|session|reports)/{_PART}", re.DOTALL)


class Tree:
    """The files of a knowledge base by their path below the root; a dry run keeps changes in memory."""

    def __init__(self, layout: Layout, *, dry: bool = False) -> None:
        self.layout = layout
        self.dry = dry
        self._changed: dict[str, bytes | None] = {}
        self._names: dict[str, set[str]] = {}

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None if there is none. Links and folders are refused."""
        if path in self._changed:
            return self._changed[path]
        try:
            return atomic.read(self.resolve(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def is_taken(self, folder: str, name: str) -> bool:
        """Say whether a folder has a file of that name, or of one that some file systems treat as the same."""
        if folder not in self._names:
            place = self.resolve(folder)
            atomic.require_folder(place)
            self._names[folder] = {fold(path.name) for path in place.iterdir()} if place.is_dir() else set()
        return fold(name) in self._names[folder]

    def create(self, path: str, content: bytes) -> None:
        """Create an atom or finding; FileExistsError if something has that name."""
        place = self._writable(path)
        if self.dry:
            self._changed[path] = content
        else:
            self._make_folders(place.parent)
            atomic.create(place, content)
        folder, _, name = path.rpartition("/")
        if folder in self._names:
            self._names[folder].add(fold(name))

    def replace(self, path: str, content: bytes) -> None:
        """Overwrite an atom or finding."""
        place = self._writable(path)
        if self.dry:
            self._changed[path] = content
        else:
            atomic.replace(place, content)

    def delete(self, path: str) -> None:
        """Delete a file of the workspace; `sync_deletions` makes that durable."""
        if _DELETABLE.fullmatch(path) is None:
            raise KnowledgeBaseError("Refine does not remove files here. Move it away by hand.", file=path)
        place = self.resolve(path)
        if self.dry:
            self._changed[path] = None
        else:
            place.unlink(missing_ok=True)

    def sync_deletions(self) -> None:
        """Flush deletions to disk; a file that a loss of power brings back is decided on again."""
        for folder in (self.layout.staging, self.layout.session, self.layout.reports):
            atomic.sync_folder(folder)

    def resolve(self, path: str) -> Path:
        """Return the path of a file, or refuse one that leads through a link or dots."""
        *folders, name = PurePosixPath(path).parts
        place = self.layout.root
        for part in (*folders, name):
            if part in {"..", "/"}:
                raise KnowledgeBaseError("This is outside the knowledge base.", file=path)
            atomic.require_folder(place)
            place /= part
        return place

    def _writable(self, path: str) -> Path:
        if _WRITABLE.fullmatch(path) is None:
            raise KnowledgeBaseError("Refine does not write files here.", file=path)
        return self.resolve(path)

    def _make_folders(self, folder: Path) -> None:
        if folder != self.layout.root:
            self._make_folders(folder.parent)
            atomic.make_folder(folder)


def list_folder(folder: Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder sorted by name, without temporary files; a missing folder is empty."""
    atomic.require_folder(folder)
    try:
        with os.scandir(folder) as found:
            return sorted(
                (entry for entry in found if not entry.name.startswith(atomic.TEMPORARY)), key=lambda entry: entry.name
            )
    except FileNotFoundError:
        return []


def walk_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder except folders, without following links."""
    waiting = [folder]
    while waiting:
        inner: list[Path] = []
        for entry in list_folder(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                inner.append(Path(entry.path))
            else:
                yield entry
        waiting.extend(reversed(inner))


def atom_files(layout: Layout) -> Iterator[Path]:
    """Yield every atom: a regular Markdown file under `atoms/`, at any depth."""
    for entry in walk_files(layout.atoms):
        if is_atom(entry):
            yield Path(entry.path)


def is_atom(entry: os.DirEntry[str]) -> bool:
    """Say whether an entry under `atoms/` is an atom."""
    return entry.name.lower().endswith(".md") and entry.is_file(follow_symlinks=False) and entry.name[0] != "."
