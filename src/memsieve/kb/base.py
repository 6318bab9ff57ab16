"""The knowledge base of Markdown files, as Python code uses it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memsieve.config import KnowledgeBaseSettings, read_settings
from memsieve.kb.files import layout
from memsieve.kb.files.layout import Layout

if TYPE_CHECKING:
    from memsieve.kb.inspection import FileProblem, Status
    from memsieve.kb.items import Item
    from memsieve.kb.refine.plan import Observations
    from memsieve.kb.refine.report import Report
    from memsieve.kb.search import AtomSearch
    from memsieve.kb.sync import SyncReport
    from memsieve.kb.write import Written
    from memsieve.ports import Clock, Progress
    from memsieve.project import Review


def _now() -> datetime:
    return datetime.now(UTC)


class KnowledgeBase:
    """Knowledge that agents and people keep in Markdown files beside the code."""

    def __init__(self, base: Layout, *, observations: str | None = None, clock: Clock = _now) -> None:
        chosen = read_settings().kb.observations if observations is None else observations
        self.observations = cast("Observations", KnowledgeBaseSettings(observations=chosen).observations)
        self.layout = base
        self._clock = clock

    @classmethod
    def init(
        cls, path: Path | str | None = None, *, observations: str | None = None, clock: Clock = _now
    ) -> KnowledgeBase:
        """Create a knowledge base, by default `.ai-kb` here; an existing one stays as it is."""
        return cls(layout.create(path), observations=observations, clock=clock)

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        observations: str | None = None,
        checked: bool = True,
        clock: Clock = _now,
    ) -> KnowledgeBase:
        """Open the knowledge base at a path, or else the nearest `.ai-kb` here or in a folder above.

        A link or a file in place of one of its folders is refused; `checked=False` opens it anyway, for `check`.
        """
        return cls(layout.find(path, checked=checked), observations=observations, clock=clock)

    @property
    def root(self) -> Path:
        """Its folder."""
        return self.layout.root

    @property
    def id(self) -> str:
        """The id that all clones share, created on first use."""
        return layout.identity(self.layout)

    def write(self, item: Item) -> Written:
        """Write an item into its folder; a finding that waits there already gets one more observation."""
        from memsieve.kb.write import write

        return write(self.layout, item, now=self._clock())

    def refine(self, *, task: str | None = None, dry_run: bool = False, progress: Progress | None = None) -> Report:
        """End a task: decide on each finding, clear the session, trim the reports; return outcomes and reasons."""
        from memsieve.kb.refine.run import refine

        return refine(
            self.layout,
            now=self._clock(),
            task=task,
            observations=self.observations,
            dry_run=dry_run,
            progress=progress,
        )

    def status(self) -> Status:
        """Return the findings that wait, the files of the workspace and the number of atoms."""
        from memsieve.kb.inspection import status

        return status(self.layout, observations=self.observations)

    def search(self, query: str, limit: int = 5, *, progress: Progress | None = None) -> AtomSearch:
        """Return the atoms that match a query best, by words and vectors; `progress` is called as vectors are made."""
        from memsieve.kb.search import search

        return search(self.layout, query, limit, read_settings(), progress)

    def sync(self, review: Review, *, dry_run: bool = False, progress: Progress | None = None) -> SyncReport:
        """Make the atoms verified memories of a project, and retire what no atom says any more, in a person's name.

        The `review` says which project and which person: `memory.project("apollo").review(by="ada@example.org")`.
        """
        from memsieve.kb.sync import sync

        return sync(self.layout, review, dry_run=dry_run, progress=progress)

    def check(self) -> tuple[FileProblem, ...]:
        """Return every problem with its file and line."""
        from memsieve.kb.inspection import check

        return check(self.layout)
