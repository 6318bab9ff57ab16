"""Where everything of a knowledge base lies: one folder, and nothing outside it."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from memsieve import validate
from memsieve.errors import InvalidInput, KnowledgeBaseError
from memsieve.kb.files import atomic
from memsieve.kb.files.document import decode

FOLDER = ".ai-kb"
MARK = "kb.toml"
_ID = re.compile(r'^\s*id\s*=\s*"([0-9A-Za-z._-]{1,128})"\s*(?:#.*)?$', re.MULTILINE)
_MOST_MARK = 64 * 1024

GITIGNORE = """\
# Scratch of the task at hand; findings, reports and atoms are kept.
/workspace/session/
/workspace/.lock
/workspace/.cache/
/workspace/refine.jsonl
/workspace/task
.tmp-*
"""
README = """\
# Knowledge base

What agents and people found out about this repository, kept beside the code.

- `atoms/` is permanent knowledge, one thing a file. Read it, and correct it by hand where you like.
- `workspace/staging/` holds new findings until `memsieve kb refine` decides on them.
- `workspace/reports/` holds the newest verification reports, `workspace/session/` the scratch of the task at hand.

`memsieve kb --help` tells how to write, refine, check and search.
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of a knowledge base under its root."""

    root: Path

    @property
    def mark(self) -> Path:
        return self.root / MARK

    @property
    def atoms(self) -> Path:
        return self.root / "atoms"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def session(self) -> Path:
        return self.workspace / "session"

    @property
    def staging(self) -> Path:
        return self.workspace / "staging"

    @property
    def reports(self) -> Path:
        return self.workspace / "reports"

    @property
    def task(self) -> Path:
        return self.workspace / "task"

    @property
    def lock(self) -> Path:
        return self.workspace / ".lock"

    @property
    def journal(self) -> Path:
        return self.workspace / "refine.jsonl"

    @property
    def cache(self) -> Path:
        return self.workspace / ".cache"

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of the layout, each after the one that it is in."""
        return self.root, self.atoms, self.workspace, self.session, self.staging, self.reports

    def relative(self, path: Path) -> str:
        """Return a place below the root, with slashes on every system."""
        return path.relative_to(self.root).as_posix()

    def require_plain(self) -> None:
        """Refuse a layout in which a link or a file stands where a folder must: links lead out of the root."""
        for folder in self.folders[1:]:
            atomic.require_folder(folder)

    def make_folders(self) -> None:
        """Make the folders that are missing: git keeps no empty ones."""
        for folder in self.folders:
            atomic.make_folder(folder)


def lay(path: Path | str | None = None) -> Layout:
    """Make a knowledge base at a path, by default `.ai-kb` here; what is there stays as it is."""
    if path is None:
        _refuse_link(Path(FOLDER))
    layout = Layout(_root(Path(FOLDER) if path is None else Path(path)))
    layout.root.parent.mkdir(parents=True, exist_ok=True)
    layout.make_folders()
    for name, text in ((".gitignore", GITIGNORE), ("README.md", README)):
        atomic.create_if_missing(layout.root / name, text.encode())
    identity(layout)
    return layout


def find(path: Path | str | None = None, *, checked: bool = True) -> Layout:
    """Return the knowledge base at a path, or else the nearest `.ai-kb` here or in a folder above."""
    found = _nearest() if path is None else _named(Path(path))
    if checked:
        found.require_plain()
    return found


def _nearest() -> Layout:
    here = Path.cwd()
    for folder in (here, *here.parents):
        root = folder / FOLDER
        _refuse_link(root)
        if _is_base(root):
            return Layout(root)
    raise KnowledgeBaseError(
        f"There is no knowledge base {FOLDER} in {here} or a folder above it. Make one with `memsieve kb init`, or "
        "name one with --kb."
    )


def identity(layout: Layout) -> str:
    """Return the id of a knowledge base, which is written at first need."""
    if (known := known_identity(layout)) is not None:
        return known
    made = str(uuid.uuid4())
    if not layout.mark.exists():
        line = f'# This knowledge base, wherever it is cloned to. Keep it in git.\nid = "{made}"\n'
        atomic.create_if_missing(layout.mark, line.encode())
    else:
        # Above whatever a person wrote: a key below a [section] would be the section's.
        atomic.replace(layout.mark, f'id = "{made}"\n'.encode() + atomic.read(layout.mark, most=_MOST_MARK))
    # Another process may have been first.
    return known_identity(layout) or made


def known_identity(layout: Layout) -> str | None:
    """Return the id of a knowledge base, or None where it has none yet."""
    try:
        text = atomic.read(layout.mark, most=_MOST_MARK).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as exc:
        raise KnowledgeBaseError(
            "This is not valid UTF-8. Convert it, or restore it from git.", file=layout.mark
        ) from exc
    found = _ID.search(text)
    return None if found is None else found[1]


def _named(path: Path) -> Layout:
    _refuse_link(path / FOLDER)
    for root in (path / FOLDER, path):
        if _is_base(root):
            return Layout(_root(root))
    raise KnowledgeBaseError(f"There is no knowledge base. Make one with `memsieve kb init --kb {path}`.", file=path)


def _refuse_link(root: Path) -> None:
    # One that came with a repository would lead anywhere; whoever means it names it.
    if root.is_symlink():
        raise KnowledgeBaseError(f"This is a link. If you mean what it leads to, name it: --kb {root}", file=root)


def _is_base(root: Path) -> bool:
    """Tell a knowledge base by its mark; one made by hand has none."""
    if (root / MARK).is_file():
        return True
    return root.name == FOLDER and any((root / name).is_dir() for name in ("atoms", "workspace"))


def _root(path: Path) -> Path:
    # What a person names may be a link; all below it may not.
    return path.resolve()


PATIENCE = 60.0


@contextmanager
def locked(layout: Layout, *, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a knowledge base for writing; the system lets go of it when a process dies. Not to be taken twice."""
    layout.require_plain()
    for folder in (layout.root, layout.workspace):
        atomic.make_folder(folder)
    if layout.lock.is_symlink():
        raise KnowledgeBaseError("The lock is a link, and links are not followed. Remove it.", file=layout.lock)
    lock = FileLock(layout.lock, timeout=patience)
    try:
        lock.acquire()
    except Timeout as exc:
        raise KnowledgeBaseError(
            f"Another process has been writing for {patience:g} s, such as a `memsieve kb refine`. Wait until it is "
            "done, or end it, and try again.",
            file=layout.lock,
        ) from exc
    try:
        yield
    finally:
        lock.release()


VARIABLE = "MEMSIEVE_TASK"
_MOST = 4096


def named_task(task: str | None = None) -> str | None:
    """Return the task that the caller or $MEMSIEVE_TASK names, if any."""
    given = os.environ.get(VARIABLE) or None if task is None else task
    return None if given is None else validate.name(given, field="task")


def stored_task(layout: Layout) -> str | None:
    """Return the base's own task at hand, or None before its first item is written."""
    try:
        text = decode(atomic.read(layout.task, most=_MOST), file=layout.task)
    except FileNotFoundError:
        return None
    try:
        return validate.name(text, field="task")
    except InvalidInput as exc:
        raise KnowledgeBaseError(f"This is no name of a task: {exc} Or remove the file.", file=layout.task) from exc


def current_task(layout: Layout, task: str | None = None) -> str:
    """Return the task of what is written now; the base's own begins where none is named. Hold the lock."""
    return named_task(task) or stored_task(layout) or _begin_task(layout)


def end_task(layout: Layout) -> None:
    """End the base's own task; what is written next begins another. Hold the lock."""
    atomic.remove(layout.task)


def _begin_task(layout: Layout) -> str:
    made = f"task-{uuid.uuid4()}"
    atomic.replace(layout.task, f"{made}\n".encode())
    return made
