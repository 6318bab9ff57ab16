"""Refine: decide on every finding at the end of a task, clean up, and tell what happened."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import atoms as atom_files
from memsieve.kb import cleaning, files, finding, items, walk
from memsieve.kb import task as tasks
from memsieve.kb.apply import apply
from memsieve.kb.atoms import Atoms
from memsieve.kb.finding import Finding
from memsieve.kb.journal import Journal, Run
from memsieve.kb.layout import Layout
from memsieve.kb.lock import locked
from memsieve.kb.plan import Observations, Plan
from memsieve.kb.report import Fate, Refined, Report
from memsieve.kb.step import Step
from memsieve.kb.tree import Tree
from memsieve.ports import Progress

_MEANWHILE = "It changed while it was decided on. The next refine decides again."


def refine(
    layout: Layout,
    *,
    now: datetime,
    task: str | None = None,
    observations: Observations = "evidence",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Decide on all that waits in staging; the report tells what became of each file and why.

    An interrupted run is finished first and told of as well. A dry run says the same and changes nothing.
    """
    layout.require_plain()
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(layout))
            layout.make_folders()
            cleaning.clear_half_written(layout)
        run = Run(id=str(uuid.uuid4()), task=tasks.named(task) or tasks.peek(layout), at=items.written_time(now))
        return _Refining(layout, run, observations, dry=dry_run, progress=progress).report(now)


class _Refining:
    """One run, alone with the knowledge base."""

    def __init__(
        self, layout: Layout, run: Run, observations: Observations, *, dry: bool, progress: Progress | None
    ) -> None:
        self._tree = Tree(layout, dry=dry)
        self._observations = observations
        self._progress = progress
        self._journal = Journal.open(layout.journal, run, dry=dry)
        self._told: dict[tuple[str, str | None], Refined] = {}

    def report(self, now: datetime) -> Report:
        """Do all of it and say so, the report being the last thing written before the journal goes."""
        atoms, unread = atom_files.load(self._tree, self._progress)
        self._resume(atoms)
        self._decide(atoms)
        cleared, left = cleaning.clear_session(self._tree)
        trimmed, more = cleaning.trim_reports(self._tree)
        run = self._journal.run
        report = Report(
            run=run.id,
            task=run.task,
            at=now,
            items=(*self._told.values(), *unread, *left, *more),
            cleared=tuple(cleared),
            trimmed=tuple(trimmed),
            resumed=self._journal.resumed,
            dry_run=self._tree.dry,
        )
        if not self._tree.dry:
            self._finish(report)
        return report

    def _resume(self, atoms: Atoms) -> None:
        """Finish an interrupted run: each step was done before the next was noted, so only the last may be undone."""
        *done, last = self._journal.steps or [Step(items=())]
        for step in done:
            self._tell(step)
        self._do(last, atoms)

    def _decide(self, atoms: Atoms) -> None:
        plan = Plan(self._tree, atoms, self._journal.run, self._observations)
        for step in plan.steps(list(self._findings())):
            if step.write is not None or step.deletes:
                self._journal.add(step)
            self._do(step, atoms)

    def _do(self, step: Step, atoms: Atoms) -> None:
        if apply(step, self._tree, atoms):
            self._tell(step)
            return
        kept = tuple(replace(item, outcome=Fate.KEPT, reason=_MEANWHILE, atom=None) for item in step.items)
        # Another run must not take it for done.
        self._journal.add(Step(items=kept))
        self._tell(Step(items=kept))

    def _findings(self) -> Iterator[Finding]:
        """Yield the findings that wait; what is none is told of and left alone."""
        run = self._journal.run
        for name in self._staged():
            try:
                content = self._tree.read(items.place(items.STAGING, name))
                if content is not None:
                    yield finding.read(name, content, task=run.task, now=run.at)
            except KnowledgeBaseError as exc:
                self._keep(name, exc.reason)

    def _staged(self) -> list[str]:
        return [entry.name for entry in walk.entries(self._tree.layout.staging) if entry.name[0] != "."]

    def _tell(self, step: Step) -> None:
        for item in step.items:
            self._told[item.file, item.id] = item

    def _keep(self, file: str, why: str) -> None:
        self._told[file, None] = Refined(file=file, outcome=Fate.KEPT, reason=why)

    def _finish(self, report: Report) -> None:
        layout = self._tree.layout
        self._tree.settle()
        place: Path = layout.session / items.STAGING_REPORT
        files.replace(place, report.markdown().encode(errors="backslashreplace"))
        tasks.renew(layout)
        self._journal.close()
