"""What lies in a folder, in order, without following a link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memsieve.kb import files, items
from memsieve.kb.layout import Layout


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder by name, without what is being written; a missing folder is empty."""
    files.require_folder(folder)
    try:
        with os.scandir(folder) as found:
            return sorted((entry for entry in found if not _passing(entry.name)), key=lambda entry: entry.name)
    except FileNotFoundError:
        return []


def below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all that is in a folder and its folders, apart from those folders."""
    waiting = [folder]
    while waiting:
        inner: list[Path] = []
        for entry in entries(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                inner.append(Path(entry.path))
            else:
                yield entry
        waiting.extend(reversed(inner))


def atoms(layout: Layout) -> Iterator[Path]:
    """Yield every atom: a regular Markdown file under `atoms/`, at any depth."""
    for entry in below(layout.atoms):
        if is_atom(entry):
            yield Path(entry.path)


def is_atom(entry: os.DirEntry[str]) -> bool:
    """Say whether an entry under `atoms/` is an atom."""
    return entry.name.lower().endswith(".md") and entry.is_file(follow_symlinks=False) and entry.name[0] != "."


def foreign(folder: str, entry: os.DirEntry[str]) -> str | None:
    """Say why an entry in a folder of the workspace is no item, or None if it is one by its name."""
    if entry.is_symlink():
        return "It is a link; links are not followed."
    if not entry.is_file(follow_symlinks=False):
        return "It is no file."
    if (folder, entry.name) == (items.SESSION, items.STAGING_REPORT) or items.type_of(folder, entry.name) is not None:
        return None
    return "Its name is that of no item that is written here."


def _passing(name: str) -> bool:
    return name.startswith(files.TEMPORARY)
