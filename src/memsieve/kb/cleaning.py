"""The end of a task: its scratch goes, old reports go, and what nobody knows stays."""

from __future__ import annotations

import os
from pathlib import Path

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import document, files, items, walk
from memsieve.kb.layout import Layout
from memsieve.kb.report import Fate, Refined
from memsieve.kb.tree import Tree

KEPT_REPORTS = 5


def clear_session(tree: Tree) -> tuple[list[str], list[Refined]]:
    """Remove what was written for the task; return it, and what is not known and stays."""
    cleared, kept = [], []
    for entry in _seen(tree.layout, items.SESSION):
        if (why := walk.foreign(items.SESSION, entry)) is None:
            tree.delete(items.place(items.SESSION, entry.name))
            cleared += [entry.name] if entry.name != items.STAGING_REPORT else []
        else:
            kept.append(_left(f"{items.SESSION}/{entry.name}", why))
    return cleared, kept


def trim_reports(tree: Tree) -> tuple[list[str], list[Refined]]:
    """Remove all but the newest reports; return those removed, and what is not known and stays."""
    found, kept = [], []
    for entry in _seen(tree.layout, items.REPORTS):
        if (why := walk.foreign(items.REPORTS, entry)) is None:
            found.append(entry)
        else:
            kept.append(_left(f"{items.REPORTS}/{entry.name}", why))
    old = sorted(found, key=lambda entry: _age(entry, tree), reverse=True)[KEPT_REPORTS:]
    for entry in old:
        tree.delete(items.place(items.REPORTS, entry.name))
    return [entry.name for entry in old], kept


def clear_half_written(layout: Layout) -> None:
    """Remove what writers that were killed left half-written."""
    inner = [Path(folder) for folder, _, _ in os.walk(layout.atoms, followlinks=False)]
    for folder in {*layout.folders, layout.cache, *inner}:
        if folder.is_dir() and not folder.is_symlink():
            files.clear_temporary(folder)


def _seen(layout: Layout, folder: str) -> list[os.DirEntry[str]]:
    return [entry for entry in walk.entries(layout.workspace / folder) if entry.name[0] != "."]


def _age(entry: os.DirEntry[str], tree: Tree) -> tuple[str, str, int, str]:
    """Return the day in a report's name, then when it was written: by its own word, or else by the disk's."""
    created = ""
    try:
        content = tree.read(items.place(items.REPORTS, entry.name)) or b""
        created = document.parse(document.decode(content)).value("created")
    except KnowledgeBaseError:
        pass
    return items.day_of(entry.name), created, entry.stat(follow_symlinks=False).st_mtime_ns, entry.name


def _left(file: str, why: str) -> Refined:
    return Refined(file=file, outcome=Fate.KEPT, reason=f"{why} Left alone.")
