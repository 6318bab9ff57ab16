"""Refine: decide on every finding at the end of a task, clear the workspace, and report."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import items
from memsieve.kb.files import atomic, document
from memsieve.kb.files.layout import Layout, end_task, locked, named_task, stored_task
from memsieve.kb.files.tree import Tree, list_folder
from memsieve.kb.refine.atoms import Atoms, load_atoms
from memsieve.kb.refine.changes import apply
from memsieve.kb.refine.finding import FindingFile, parse_finding
from memsieve.kb.refine.journal import Journal, RefineRun, RefineStep
from memsieve.kb.refine.plan import Observations, Plan
from memsieve.kb.refine.report import FileOutcome, RefinedFile, Report
from memsieve.ports import Progress

KEPT_REPORTS = 5
_CHANGED_MEANWHILE = "It changed while it was decided on. The next refine decides again."


def refine(
    layout: Layout,
    *,
    now: datetime,
    task: str | None = None,
    observations: Observations = "evidence",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Decide on every finding in staging; the report has the outcome of each file and why.

    An interrupted run is finished first and is part of the report. A dry run changes nothing and reports the same.
    """
    layout.require_plain()
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(layout))
            layout.make_folders()
            _clear_temporary(layout)
        run = RefineRun(id=str(uuid.uuid4()), task=named_task(task) or stored_task(layout), at=items.written_time(now))
        return _Refiner(layout, run, observations, dry=dry_run, progress=progress).report(now)


class _Refiner:
    """One run of refine; the caller holds the lock."""

    def __init__(
        self, layout: Layout, run: RefineRun, observations: Observations, *, dry: bool, progress: Progress | None
    ) -> None:
        self._tree = Tree(layout, dry=dry)
        self._observations = observations
        self._progress = progress
        self._journal = Journal.open(layout.journal, run, dry=dry)
        self._results: dict[tuple[str, str | None], RefinedFile] = {}

    def report(self, now: datetime) -> Report:
        """Carry out the run; the report is the last file written before the journal is deleted."""
        atoms, unread = load_atoms(self._tree, self._progress)
        self._resume(atoms)
        self._decide(atoms)
        cleared, left = _clear_session(self._tree)
        trimmed, more = _trim_reports(self._tree)
        run = self._journal.run
        report = Report(
            run=run.id,
            task=run.task,
            at=now,
            items=(*self._results.values(), *unread, *left, *more),
            cleared=tuple(cleared),
            trimmed=tuple(trimmed),
            resumed=self._journal.resumed,
            dry_run=self._tree.dry,
        )
        if not self._tree.dry:
            self._finish(report)
        return report

    def _resume(self, atoms: Atoms) -> None:
        """Finish an interrupted run; only its last step may be open: each was done before the next was journalled."""
        *done, last = self._journal.steps or [RefineStep(items=())]
        for step in done:
            self._record(step)
        self._do(last, atoms)

    def _decide(self, atoms: Atoms) -> None:
        plan = Plan(self._tree, atoms, self._journal.run, self._observations)
        for step in plan.steps(list(self._findings())):
            if step.write is not None or step.deletes:
                self._journal.add(step)
            self._do(step, atoms)

    def _do(self, step: RefineStep, atoms: Atoms) -> None:
        if apply(step, self._tree, atoms):
            self._record(step)
            return
        kept = tuple(
            replace(item, outcome=FileOutcome.KEPT, reason=_CHANGED_MEANWHILE, atom=None) for item in step.items
        )
        # A resumed run must not take it for done.
        self._journal.add(RefineStep(items=kept))
        self._record(RefineStep(items=kept))

    def _findings(self) -> Iterator[FindingFile]:
        """Yield the findings in staging; report other files and leave them alone."""
        run = self._journal.run
        for name in self._staged():
            try:
                content = self._tree.read(items.place(items.STAGING, name))
                if content is not None:
                    yield parse_finding(name, content, task=run.task, now=run.at)
            except KnowledgeBaseError as exc:
                self._keep(name, exc.reason)

    def _staged(self) -> list[str]:
        return [entry.name for entry in list_folder(self._tree.layout.staging) if entry.name[0] != "."]

    def _record(self, step: RefineStep) -> None:
        for item in step.items:
            self._results[item.file, item.id] = item

    def _keep(self, file: str, why: str) -> None:
        self._results[file, None] = RefinedFile(file=file, outcome=FileOutcome.KEPT, reason=why)

    def _finish(self, report: Report) -> None:
        layout = self._tree.layout
        self._tree.sync_deletions()
        place: Path = layout.session / items.STAGING_REPORT
        atomic.replace(place, report.markdown().encode(errors="backslashreplace"))
        end_task(layout)
        self._journal.close()


def _clear_session(tree: Tree) -> tuple[list[str], list[RefinedFile]]:
    """Delete the items of the session; return their names, and the unknown files that stay."""
    cleared, kept = [], []
    for entry in _visible(tree.layout, items.SESSION):
        if (why := items.why_unknown(items.SESSION, entry)) is None:
            tree.delete(items.place(items.SESSION, entry.name))
            cleared += [entry.name] if entry.name != items.STAGING_REPORT else []
        else:
            kept.append(_unknown(f"{items.SESSION}/{entry.name}", why))
    return cleared, kept


def _trim_reports(tree: Tree) -> tuple[list[str], list[RefinedFile]]:
    """Delete all but the newest reports; return their names, and the unknown files that stay."""
    found, kept = [], []
    for entry in _visible(tree.layout, items.REPORTS):
        if (why := items.why_unknown(items.REPORTS, entry)) is None:
            found.append(entry)
        else:
            kept.append(_unknown(f"{items.REPORTS}/{entry.name}", why))
    old = sorted(found, key=lambda entry: _age(entry, tree), reverse=True)[KEPT_REPORTS:]
    for entry in old:
        tree.delete(items.place(items.REPORTS, entry.name))
    return [entry.name for entry in old], kept


def _clear_temporary(layout: Layout) -> None:
    """Delete the temporary files of killed writers."""
    inner = [Path(folder) for folder, _, _ in os.walk(layout.atoms, followlinks=False)]
    for folder in {*layout.folders, layout.cache, *inner}:
        if folder.is_dir() and not folder.is_symlink():
            atomic.clear_temporary(folder)


def _visible(layout: Layout, folder: str) -> list[os.DirEntry[str]]:
    return [entry for entry in list_folder(layout.workspace / folder) if entry.name[0] != "."]


def _age(entry: os.DirEntry[str], tree: Tree) -> tuple[str, str, int, str]:
    """Return the sort key of a report: the day in its name, when it says it was created, its mtime, its name."""
    created = ""
    try:
        content = tree.read(items.place(items.REPORTS, entry.name)) or b""
        created = document.parse(document.decode(content)).value("created")
    except KnowledgeBaseError:
        pass
    return items.day_of(entry.name), created, entry.stat(follow_symlinks=False).st_mtime_ns, entry.name


def _unknown(file: str, why: str) -> RefinedFile:
    return RefinedFile(file=file, outcome=FileOutcome.KEPT, reason=f"{why} Left alone.")
