"""Decide on each finding: the first outcome that applies, one step at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files.tree import Tree
from memsieve.kb.refine.atoms import Atoms
from memsieve.kb.refine.changes import correct, promote
from memsieve.kb.refine.concept_index import ConceptIndex
from memsieve.kb.refine.finding import FindingFile
from memsieve.kb.refine.journal import RefineRun, RefineStep
from memsieve.kb.refine.report import FileOutcome, RefinedFile
from memsieve.model import Reason, RefineOutcome
from memsieve.refine.concepts import concepts, share
from memsieve.refine.narrow import why_narrow
from memsieve.refine.verdict import COVERED, KnownText, find_duplicate, refine

Observations = Literal["evidence", "runs"]
# Comparing two texts takes milliseconds, and hundreds may differ in a number only.
_MOST_ALIKE = 10
_COUNTED = {"evidence": "tasks", "runs": "runs"}


@dataclass(slots=True)
class Plan:
    """Decides on findings in turn; each step must be carried out before the next is requested, which it may cover."""

    tree: Tree
    atoms: Atoms
    run: RefineRun
    observations: Observations
    # By file: why a finding is no duplicate of a similar atom, or of another finding, that it contradicts.
    _differing: dict[str, Reason | None] = field(default_factory=dict)
    _disputed: dict[str, Reason] = field(default_factory=dict)

    def steps(self, findings: Sequence[FindingFile]) -> Iterator[RefineStep]:
        """Yield the steps for all findings, oldest first."""
        waiting: list[FindingFile] = []
        for finding in sorted(findings, key=lambda each: (each.created, each.file)):
            step = correct(finding, self.atoms, self.run.at) if finding.is_correction else self._deletion_step(finding)
            if step is None:
                waiting.append(finding)
            else:
                yield step
        yield from self._steps_for(waiting)

    def _steps_for(self, waiting: list[FindingFile]) -> Iterator[RefineStep]:
        """Yield the steps for findings that may become atoms, those that say the same together."""
        alike = _alike(waiting)
        pending = {finding.file: finding for finding in waiting}
        while pending:
            lead = pending.pop(next(iter(pending)))
            if (step := self._deletion_step(lead)) is not None:
                yield step
                continue
            near = [pending[file] for file in alike[lead.file] if file in pending]
            same = [other for other in near if self._same(lead, other) and self._deletion_step(other) is None]
            for other in same:
                del pending[other.file]
            yield from self._decide(lead, same)

    def _deletion_step(self, finding: FindingFile) -> RefineStep | None:
        """Return the step that deletes a duplicate or too narrow finding; None if it is neither."""
        made = self.atoms.made_of(finding.id)
        if made is not None and share(concepts(finding.content), made.concepts) > COVERED:
            return _deletion(finding, FileOutcome.DUPLICATE, f"Atom {made.path} was made of it.", made.path)
        compared = find_duplicate(finding.content, self.atoms.known(concepts(finding.content)), "atom")
        if compared.duplicate_of is not None:
            return _deletion(finding, FileOutcome.DUPLICATE, str(compared.reason), compared.duplicate_of)
        self._differing[finding.file] = compared.reason
        why = why_narrow(finding.content)
        return None if why is None else _deletion(finding, FileOutcome.TOO_NARROW, str(why), None)

    def _same(self, lead: FindingFile, other: FindingFile) -> bool:
        if lead.kind is not other.kind:
            return False
        for one, two in ((other, lead), (lead, other)):
            compared = find_duplicate(one.content, [KnownText(id=two.file, content=two.content)], "finding")
            if compared.duplicate_of is not None:
                return True
            if compared.difference is not None:
                self._disputed.setdefault(one.file, _differs_from(two, compared.difference))
                self._disputed.setdefault(two.file, _differs_from(one, compared.difference))
                return False
        return False

    def _decide(self, lead: FindingFile, same: Sequence[FindingFile]) -> Iterator[RefineStep]:
        """Yield the step for findings that say the same; if they cannot be merged, each gets its own."""
        try:
            yield self._merged_step(lead, same)
        except KnowledgeBaseError as exc:
            if not same:
                yield RefineStep(items=(lead.result(FileOutcome.KEPT, str(exc)),))
            else:
                for finding in (lead, *same):
                    yield from self._decide(finding, ())

    def _merged_step(self, lead: FindingFile, same: Sequence[FindingFile]) -> RefineStep:
        whole = lead
        for other in same:
            whole = whole.merged(other)
        if self.observations == "runs":
            whole = whole.counted_in(self.run.id)
        seen = len(whole.runs if self.observations == "runs" else whole.tasks)
        found = refine(
            lead.content,
            observations=seen,
            counted=_COUNTED[self.observations],
            called="atom",
            evidence="; ".join(whole.evidence),
        )
        reasons = (found.reason, self._differing[lead.file], self._disputed.get(lead.file))
        why = " ".join(str(reason) for reason in reasons if reason is not None)
        if found.outcome is RefineOutcome.READY:
            return self._promotion(whole, same, seen, why)
        result = lead.result(FileOutcome.OBSERVING, why, observations=seen)
        return RefineStep(
            items=(result, *_counted_with(result, same)),
            write=whole.kept(seen),
            deletes=tuple(other.deletion() for other in same),
        )

    def _promotion(self, whole: FindingFile, same: Sequence[FindingFile], seen: int, why: str) -> RefineStep:
        write = promote(whole, seen, self.run.at, self.tree, self.atoms)
        result = whole.result(FileOutcome.PROMOTED, why, observations=seen, atom=write.path)
        deletes = (whole.deletion(), *(other.deletion() for other in same))
        return RefineStep(items=(result, *_counted_with(result, same)), write=write, deletes=deletes, atom=write.path)


def _alike(findings: Sequence[FindingFile]) -> dict[str, list[str]]:
    """Return for each finding the others that cover most of its concepts, or are covered by it, in order."""
    index, found = ConceptIndex(), defaultdict[str, set[str]](set)
    for finding in findings:
        index.put(finding.file, concepts(finding.content))
    for finding in findings:
        for other in index.covering(concepts(finding.content), COVERED, _MOST_ALIKE):
            found[finding.file].add(other)
            found[other].add(finding.file)
    places = {finding.file: place for place, finding in enumerate(findings)}
    return {file: sorted(found[file] - {file}, key=places.__getitem__) for file in places}


def _differs_from(finding: FindingFile, difference: Reason) -> Reason:
    return Reason.of("refine.differs_finding", id=finding.file, difference=difference)


def _counted_with(result: RefinedFile, same: Sequence[FindingFile]) -> tuple[RefinedFile, ...]:
    why = f"It says the same as {result.file}, and counts there."
    return tuple(each.result(result.outcome, why, observations=result.observations, atom=result.atom) for each in same)


def _deletion(finding: FindingFile, outcome: FileOutcome, why: str, atom: str | None) -> RefineStep:
    return RefineStep(items=(finding.result(outcome, why, atom=atom),), deletes=(finding.deletion(),))
