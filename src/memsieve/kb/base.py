"""A knowledge base in the hand: each method one call into a room."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memsieve.config import KnowledgeBaseSettings, read_settings
from memsieve.kb.files import layout
from memsieve.kb.files.layout import Layout, locked

if TYPE_CHECKING:
    from memsieve.kb.inspection import Problem, Status
    from memsieve.kb.items import Item
    from memsieve.kb.refine.plan import Observations
    from memsieve.kb.refine.report import Report
    from memsieve.kb.search import AtomSearch
    from memsieve.kb.sync import SyncReport, Target
    from memsieve.kb.write import Written
    from memsieve.ports import Clock, Progress


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
        cls,
        path: Path | str | None = None,
        *,
        observations: str | None = None,
        clock: Clock = _now,
    ) -> KnowledgeBase:
        """Make a knowledge base, by default `.ai-kb` here; one that is there stays as it is."""
        return cls(layout.lay(path), observations=observations, clock=clock)

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

        Where a link or file stands in place of one of its folders it is refused, unless it is opened to be checked.
        """
        return cls(layout.find(path, checked=checked), observations=observations, clock=clock)

    @property
    def root(self) -> Path:
        """The folder it lies in."""
        return self.layout.root

    @property
    def id(self) -> str:
        """The id it has wherever it is cloned to, made at first need."""
        if (known := layout.known_identity(self.layout)) is not None:
            return known
        with locked(self.layout):
            return layout.identity(self.layout)

    def write(self, item: Item) -> Written:
        """Write an item where its kind belongs; a finding that is there already is observed once more."""
        from memsieve.kb.write import write

        return write(self.layout, item, now=self._clock())

    def refine(self, *, task: str | None = None, dry_run: bool = False, progress: Progress | None = None) -> Report:
        """End a task: decide on each finding, clear the session, trim the reports; say what became of each and why."""
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
        """Look at what waits and what is kept."""
        from memsieve.kb.inspection import status

        return status(self.layout, observations=self.observations)

    def search(self, query: str, limit: int = 5, *, progress: Progress | None = None) -> AtomSearch:
        """Return the atoms that fit a query best, by words and vectors; `progress` is told of vectors made first."""
        from memsieve.kb.search import search

        return search(self.layout, query, limit, read_settings(), progress)

    def sync(
        self,
        project: Target,
        *,
        by: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Make the atoms verified memories of a project, and retire what no atom says any more, in a person's name.

        `project` is a memory's or a client's; `by` is your name, which a server knows by the key.
        """
        from memsieve.kb.sync import sync

        person = {} if by is None else {"by": by}
        return sync(self.layout, project, person, dry_run=dry_run, progress=progress)

    def check(self) -> tuple[Problem, ...]:
        """Return what is wrong, by file and line."""
        from memsieve.kb.inspection import check

        return check(self.layout)
