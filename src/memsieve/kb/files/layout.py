"""The folder of a knowledge base: its places, its id, its lock and its current task."""

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
ID_FILE = "kb.toml"
TASK_VARIABLE = "MEMSIEVE_TASK"
LOCK_TIMEOUT = 60.0
_ID = re.compile(r'^\s*id\s*=\s*"([0-9A-Za-z._-]{1,128})"\s*(?:#.*)?$', re.MULTILINE)
_MOST_ID_BYTES = 64 * 1024
_MOST_TASK_BYTES = 4096

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
    """The files and folders of a knowledge base, all below its root."""

    root: Path

    @property
    def id_file(self) -> Path:
        return self.root / ID_FILE

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
        """All folders, parents first."""
        return self.root, self.atoms, self.workspace, self.session, self.staging, self.reports

    def relative(self, path: Path) -> str:
        """Return a path relative to the root, with slashes on every system."""
        return path.relative_to(self.root).as_posix()

    def require_plain(self) -> None:
        """Refuse a link or a file in place of a folder: a link leads out of the root."""
        for folder in self.folders[1:]:
            atomic.require_folder(folder)

    def make_folders(self) -> None:
        """Create missing folders: git keeps no empty ones."""
        for folder in self.folders:
            atomic.make_folder(folder)


def create(path: Path | str | None = None) -> Layout:
    """Create a knowledge base at a path, by default `.ai-kb` here; existing files stay as they are."""
    if path is None:
        _refuse_link(Path(FOLDER))
    layout = Layout(Path(FOLDER if path is None else path).resolve())
    layout.root.parent.mkdir(parents=True, exist_ok=True)
    layout.make_folders()
    for name, text in ((".gitignore", GITIGNORE), ("README.md", README)):
        atomic.create_if_missing(layout.root / name, text.encode())
    if known_identity(layout) is None:
        _new_identity(layout)
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
    """Return the id of a knowledge base; one without an id is given one, under the lock."""
    if (known := known_identity(layout)) is not None:
        return known
    with locked(layout):
        # Another process may have been first.
        return known_identity(layout) or _new_identity(layout)


def _new_identity(layout: Layout) -> str:
    made = str(uuid.uuid4())
    if not layout.id_file.exists():
        line = f'# This knowledge base, wherever it is cloned to. Keep it in git.\nid = "{made}"\n'
        atomic.create_if_missing(layout.id_file, line.encode())
    else:
        # At the top of the file: below a [section], the key would belong to that section.
        atomic.replace(layout.id_file, f'id = "{made}"\n'.encode() + atomic.read(layout.id_file, most=_MOST_ID_BYTES))
    # Another process may have created the file first.
    return known_identity(layout) or made


def known_identity(layout: Layout) -> str | None:
    """Return the id of a knowledge base, or None if it has none yet."""
    try:
        text = atomic.read(layout.id_file, most=_MOST_ID_BYTES).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as exc:
        raise KnowledgeBaseError(
            "This is not valid UTF-8. Convert it, or restore it from git.", file=layout.id_file
        ) from exc
    found = _ID.search(text)
    return None if found is None else found[1]


def _named(path: Path) -> Layout:
    _refuse_link(path / FOLDER)
    for root in (path / FOLDER, path):
        if _is_base(root):
            # The path that a person names may be a link; nothing below it may.
            return Layout(root.resolve())
    raise KnowledgeBaseError(f"There is no knowledge base. Make one with `memsieve kb init --kb {path}`.", file=path)


def _refuse_link(root: Path) -> None:
    # A link that came with a repository may lead anywhere.
    if root.is_symlink():
        raise KnowledgeBaseError(f"This is a link. If you mean what it leads to, name it: --kb {root}", file=root)


def _is_base(root: Path) -> bool:
    """Say whether a folder is a knowledge base: by its id file, or by its name and folders if it was made by hand."""
    if (root / ID_FILE).is_file():
        return True
    return root.name == FOLDER and any((root / name).is_dir() for name in ("atoms", "workspace"))


@contextmanager
def locked(layout: Layout, *, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
    """Lock a knowledge base for writing, across processes; not reentrant. A dead process releases the lock."""
    layout.require_plain()
    for folder in (layout.root, layout.workspace):
        atomic.make_folder(folder)
    if layout.lock.is_symlink():
        raise KnowledgeBaseError("The lock is a link, and links are not followed. Remove it.", file=layout.lock)
    lock = FileLock(layout.lock, timeout=timeout)
    try:
        lock.acquire()
    except Timeout as exc:
        raise KnowledgeBaseError(
            f"Another process has been writing for {timeout:g} s, such as a `memsieve kb refine`. Wait until it is "
            "done, or end it, and try again.",
            file=layout.lock,
        ) from exc
    try:
        yield
    finally:
        lock.release()


def named_task(task: str | None = None) -> str | None:
    """Return the task that the caller or $MEMSIEVE_TASK names, or None."""
    given = os.environ.get(TASK_VARIABLE) or None if task is None else task
    return None if given is None else validate.name(given, field="task")


def stored_task(layout: Layout) -> str | None:
    """Return the current task of the knowledge base, or None before its first item is written."""
    try:
        text = decode(atomic.read(layout.task, most=_MOST_TASK_BYTES), file=layout.task)
    except FileNotFoundError:
        return None
    try:
        return validate.name(text, field="task")
    except InvalidInput as exc:
        raise KnowledgeBaseError(f"This is no name of a task: {exc} Or remove the file.", file=layout.task) from exc


def current_task(layout: Layout, task: str | None = None) -> str:
    """Return the named task, or else the stored one, which begins here if there is none. Hold the lock."""
    return named_task(task) or stored_task(layout) or _begin_task(layout)


def end_task(layout: Layout) -> None:
    """End the stored task; the next item begins another. Hold the lock."""
    atomic.remove(layout.task)


def _begin_task(layout: Layout) -> str:
    made = f"task-{uuid.uuid4()}"
    atomic.replace(layout.task, f"{made}\n".encode())
    return made
