"""What becomes of each finding: the first outcome that holds, one step after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files.tree import Tree
from memsieve.kb.refine import changes as promotion
from memsieve.kb.refine.atoms import Atoms
from memsieve.kb.refine.changes import correct
from memsieve.kb.refine.concept_index import ConceptIndex
from memsieve.kb.refine.finding import Finding
from memsieve.kb.refine.journal import Run, Step
from memsieve.kb.refine.report import FileOutcome, RefinedFile
from memsieve.model import Outcome, Reason
from memsieve.refine.concepts import concepts, share
from memsieve.refine.narrow import narrow
from memsieve.refine.verdict import COVERED, Known, compare_with_known, refine

Observations = Literal["evidence", "runs"]
# Comparing two texts takes milliseconds, and hundreds may differ in a number only.
_MOST_ALIKE = 10
_COUNTED = {"evidence": "tasks", "runs": "runs"}


@dataclass(slots=True)
class Plan:
    """Decides on findings in turn. Each step is done before the next is asked for: it may be what covers the next."""

    tree: Tree
    atoms: Atoms
    run: Run
    observations: Observations
    # What a finding comes near to and contradicts: an atom, or another finding.
    _differing: dict[str, Reason | None] = field(default_factory=dict)
    _disputed: dict[str, Reason] = field(default_factory=dict)

    def steps(self, findings: Sequence[Finding]) -> Iterator[Step]:
        """Yield what is done with all findings, older ones first."""
        waiting: list[Finding] = []
        for finding in sorted(findings, key=lambda each: (each.created, each.file)):
            step = correct(finding, self.atoms, self.run.at) if finding.is_correction else self._dropped(finding)
            if step is None:
                waiting.append(finding)
            else:
                yield step
        yield from self._observed(waiting)

    def _observed(self, waiting: list[Finding]) -> Iterator[Step]:
        """Yield what is done with findings that are worth something, those that say the same together."""
        alike = _alike(waiting)
        left = {finding.file: finding for finding in waiting}
        while left:
            lead = left.pop(next(iter(left)))
            if (step := self._dropped(lead)) is not None:
                yield step
                continue
            near = [left[file] for file in alike[lead.file] if file in left]
            same = [other for other in near if self._same(lead, other) and self._dropped(other) is None]
            for other in same:
                del left[other.file]
            yield from self._decided(lead, same)

    def _dropped(self, finding: Finding) -> Step | None:
        """Return the step that deletes a finding as known or too narrow; None where it is neither."""
        made = self.atoms.made_of(finding.id)
        if made is not None and share(concepts(finding.content), made.concepts) > COVERED:
            return _deletion(finding, FileOutcome.DUPLICATE, f"Atom {made.path} was made of it.", made.path)
        compared = compare_with_known(finding.content, self.atoms.known(concepts(finding.content)), "atom")
        if compared.duplicate_of is not None:
            return _deletion(finding, FileOutcome.DUPLICATE, str(compared.reason), compared.duplicate_of)
        self._differing[finding.file] = compared.reason
        why = narrow(finding.content)
        return None if why is None else _deletion(finding, FileOutcome.TOO_NARROW, str(why), None)

    def _same(self, lead: Finding, other: Finding) -> bool:
        if lead.kind is not other.kind:
            return False
        for one, two in ((other, lead), (lead, other)):
            compared = compare_with_known(one.content, [Known(id=two.file, content=two.content)], "finding")
            if compared.duplicate_of is not None:
                return True
            if compared.difference is not None:
                self._disputed.setdefault(one.file, _differs_from(two, compared.difference))
                self._disputed.setdefault(two.file, _differs_from(one, compared.difference))
                return False
        return False

    def _decided(self, lead: Finding, same: Sequence[Finding]) -> Iterator[Step]:
        """Yield the step for findings that say the same; what cannot be put together is decided on by itself."""
        try:
            yield self._together(lead, same)
        except KnowledgeBaseError as exc:
            if not same:
                yield Step(items=(lead.told(FileOutcome.KEPT, str(exc)),))
            else:
                for finding in (lead, *same):
                    yield from self._decided(finding, ())

    def _together(self, lead: Finding, same: Sequence[Finding]) -> Step:
        whole = lead
        for other in same:
            whole = whole.joined(other)
        if self.observations == "runs":
            whole = whole.counted_by(self.run.id)
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
        if found.outcome is Outcome.READY:
            return self._promoted(whole, same, seen, why)
        told = lead.told(FileOutcome.OBSERVING, why, observations=seen)
        return Step(
            items=(told, *_counted_there(told, same)),
            write=whole.marked(seen),
            deletes=tuple(other.gone() for other in same),
        )

    def _promoted(self, whole: Finding, same: Sequence[Finding], seen: int, why: str) -> Step:
        made = promotion.atom(whole, seen, self.run.at, self.tree, self.atoms)
        told = whole.told(FileOutcome.PROMOTED, why, observations=seen, atom=made.path)
        gone = (whole.gone(), *(other.gone() for other in same))
        return Step(items=(told, *_counted_there(told, same)), write=made, deletes=gone, atom=made.path)


def _alike(findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Return for each finding those that have most of its concepts, or most of whose concepts it has, in order."""
    index, found = ConceptIndex(), defaultdict[str, set[str]](set)
    for finding in findings:
        index.put(finding.file, concepts(finding.content))
    for finding in findings:
        for other in index.covering(concepts(finding.content), COVERED, _MOST_ALIKE):
            found[finding.file].add(other)
            found[other].add(finding.file)
    places = {finding.file: place for place, finding in enumerate(findings)}
    return {file: sorted(found[file] - {file}, key=places.__getitem__) for file in places}


def _differs_from(finding: Finding, difference: Reason) -> Reason:
    return Reason.of("refine.differs_finding", id=finding.file, difference=difference)


def _counted_there(told: RefinedFile, same: Sequence[Finding]) -> tuple[RefinedFile, ...]:
    why = f"It says the same as {told.file}, and counts there."
    return tuple(each.told(told.outcome, why, observations=told.observations, atom=told.atom) for each in same)


def _deletion(finding: Finding, fate: FileOutcome, why: str, atom: str | None) -> Step:
    return Step(items=(finding.told(fate, why, atom=atom),), deletes=(finding.gone(),))
