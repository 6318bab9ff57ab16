"""The files that refine reads and changes, by their place below the root; a dry run changes them in mind alone."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import files
from memsieve.kb.layout import Layout
from memsieve.kb.names import fold

# No part begins with a dot, so that none leads up or hides, and none has what other systems take for a separator.
_PART = r"[^./\\:\0][^/\\:\0]*"
_WRITABLE = re.compile(rf"(?:atoms(?:/{_PART})+|workspace/staging/{_PART})(?<=\.md)", re.IGNORECASE | re.DOTALL)
_GOING = re.compile(rf"workspace/(?:staging|session|reports)/{_PART}", re.DOTALL)


class Tree:
    """A knowledge base's files, changed on disk, or in a dry run only here."""

    def __init__(self, layout: Layout, *, dry: bool = False) -> None:
        self.layout = layout
        self.dry = dry
        self._changed: dict[str, bytes | None] = {}
        self._names: dict[str, set[str]] = {}

    def read(self, path: str) -> bytes | None:
        """Return what a file holds; None where there is none. Links and folders are refused."""
        if path in self._changed:
            return self._changed[path]
        try:
            return files.read(self.place(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def is_taken(self, folder: str, name: str) -> bool:
        """Say whether a folder has a file of that name, or of one that some file systems take for it."""
        if folder not in self._names:
            place = self.place(folder)
            files.require_folder(place)
            self._names[folder] = {fold(path.name) for path in place.iterdir()} if place.is_dir() else set()
        return fold(name) in self._names[folder]

    def create(self, path: str, content: bytes) -> None:
        """Write a new atom or finding; FileExistsError where something of that name is there."""
        place = self._writable(path)
        if self.dry:
            self._changed[path] = content
        else:
            self._make_folders(place.parent)
            files.create(place, content)
        folder, _, name = path.rpartition("/")
        if folder in self._names:
            self._names[folder].add(fold(name))

    def replace(self, path: str, content: bytes) -> None:
        """Write an atom or finding anew."""
        place = self._writable(path)
        if self.dry:
            self._changed[path] = content
        else:
            files.replace(place, content)

    def delete(self, path: str) -> None:
        """Remove a file of the workspace; `settle` makes sure of it."""
        if _GOING.fullmatch(path) is None:
            raise KnowledgeBaseError("Refine does not remove files here. Move it away by hand.", file=path)
        place = self.place(path)
        if self.dry:
            self._changed[path] = None
        else:
            place.unlink(missing_ok=True)

    def settle(self) -> None:
        """Put on disk what was removed: what comes back after a loss of power is decided on again."""
        for folder in (self.layout.staging, self.layout.session, self.layout.reports):
            files.sync_folder(folder)

    def place(self, path: str) -> Path:
        """Return where a file lies, or refuse it where a link or dots lead there."""
        *folders, name = PurePosixPath(path).parts
        place = self.layout.root
        for part in (*folders, name):
            if part in {"..", "/"}:
                raise KnowledgeBaseError("This is outside the knowledge base.", file=path)
            files.require_folder(place)
            place /= part
        return place

    def _writable(self, path: str) -> Path:
        if _WRITABLE.fullmatch(path) is None:
            raise KnowledgeBaseError("Refine does not write files here.", file=path)
        return self.place(path)

    def _make_folders(self, folder: Path) -> None:
        if folder != self.layout.root:
            self._make_folders(folder.parent)
            files.make_folder(folder)
