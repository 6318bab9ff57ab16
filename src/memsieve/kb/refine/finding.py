"""A finding in staging: its text, and who observed it in which tasks."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import document
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.files.fingerprints import content_hash
from memsieve.kb.items import STAGING, TYPES, ItemType, place, type_of
from memsieve.kb.refine.journal import Delete, Write
from memsieve.kb.refine.report import FileOutcome, RefinedFile
from memsieve.refine.concepts import concepts, shared
from memsieve.text.normalize import fold

NEW = "NEW"
OBSERVED = "OBSERVED"
_PREFIX = re.compile(r"^(?:new-trap|new-pattern|correction)-", re.IGNORECASE)
_KINDS = {name: kind for name, kind in TYPES.items() if kind.is_finding}
_MOST_TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One observation of a finding."""

    id: str | None
    task: str | None
    agent: str | None
    created: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingFile:
    """A file in staging that is a finding."""

    file: str
    kind: ItemType
    document: MarkdownDocument
    before: str
    id: str
    created: str
    observed: tuple[Observation, ...]

    @property
    def path(self) -> str:
        return place(STAGING, self.file)

    @property
    def content(self) -> str:
        """Its text; its title does not count."""
        return self.document.text

    @property
    def is_correction(self) -> bool:
        return self.kind.is_correction

    @property
    def title(self) -> str:
        """Its title on one line; that of a correction is the atom it names."""
        given = self.document.value(self.kind.fields[0])
        named = given or _PREFIX.sub("", self.file.rpartition(".")[0]).replace("-", " ")
        return " ".join(named.split())[:_MOST_TITLE] or self.kind.name

    @property
    def evidence(self) -> list[str]:
        """The evidence for it, if any."""
        return self.document.values("evidence")

    @property
    def tags(self) -> list[str]:
        return self.document.values("tags")

    @property
    def runs(self) -> list[str]:
        """The ids of the refine runs that counted it."""
        return self.document.values("runs")

    @property
    def tasks(self) -> list[str]:
        """The distinct tasks in which it was observed."""
        return list(dict.fromkeys(each.task or "" for each in self.observed))

    @property
    def sources(self) -> list[str]:
        """The distinct ids of its observations."""
        return list(dict.fromkeys(each.id for each in self.observed if each.id))

    def counted_in(self, run: str) -> FindingFile:
        """Return the finding, counted in one more run."""
        return replace(self, document=_changed(self.document, runs=_union(self.runs, [run])))

    def merged(self, other: FindingFile) -> FindingFile:
        """Return the finding with the observations, and any new text, of another finding that says the same."""
        body = self.document
        if _adds_words(other.content, self.content):
            body = body.with_body(f"{self.content}\n\n{other.content}")
        # Only changed fields are written: an equal field stays as a person wrote it.
        added = {name: _union(body.values(name), other.document.values(name)) for name in ("evidence", "tags")}
        body = _changed(body, **{name: values for name, values in added.items() if values != body.values(name)})
        return replace(self, document=body, observed=_distinct([*self.observed, *other.observed]))

    def with_observations(self, observations: int) -> MarkdownDocument:
        """Return its document with all observations."""
        return _changed(
            self.document,
            id=self.id,
            type=self.kind.name,
            created=self.created,
            observations=observations,
            observed=[asdict(each) for each in self.observed],
        )

    def kept(self, observations: int) -> Write | None:
        """Return the write that keeps it for more observations; None if the file is already so."""
        written = _changed(self.with_observations(observations), status=OBSERVED).whole()
        return None if content_hash(written) == self.before else Write(self.path, written, self.before)

    def result(
        self, outcome: FileOutcome, reason: str, *, observations: int | None = None, atom: str | None = None
    ) -> RefinedFile:
        """Return its line of the report."""
        return RefinedFile(
            file=self.file, outcome=outcome, reason=reason, observations=observations, atom=atom, id=self.id
        )

    def deletion(self) -> Delete:
        """Return the deletion of its file."""
        return Delete(self.path, self.before)


def parse_finding(file: str, content: bytes, *, task: str | None, now: str) -> FindingFile:
    """Parse a file of staging as a finding, or say why it is none."""
    of_name = type_of(STAGING, file)
    if of_name is None:
        patterns = ", ".join(kind.title for kind in _KINDS.values())
        raise KnowledgeBaseError(f"Its name is that of no finding: {patterns}. Rename it, or move it away.")
    found = document.parse(document.decode(content))
    if not found.text:
        raise KnowledgeBaseError("It says nothing. Write what was found below the front matter, or delete it.")
    own = found.value("type") or of_name.name
    if own not in _KINDS:
        raise KnowledgeBaseError(f"Its type {own!r} is that of no finding: {', '.join(_KINDS)}. Mend it.")
    identity, created = found.value("id") or str(uuid.uuid4()), found.value("created") or now
    at_hand, agent = found.value("task") or task, found.value("agent") or None
    first = Observation(id=identity, task=at_hand, agent=agent, created=created)
    rows = _observations(found)
    known = any(row.id == identity for row in rows)
    return FindingFile(
        file=file,
        kind=_KINDS[own],
        document=found,
        before=content_hash(content),
        id=identity,
        created=created,
        observed=_distinct(rows if known else [first, *rows]),
    )


def folded(text: str) -> str:
    """Fold a text, so that texts that differ only in case, width and space are equal."""
    return " ".join(fold(text).split())


def reads_same(text: str, other: str) -> bool:
    """Say whether two texts are equal apart from line ends: a correction may change a single sign, or an indent."""
    return _lines(text) == _lines(other)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in unicodedata.normalize("NFC", text).strip().splitlines()]


def _adds_words(content: str, text: str) -> bool:
    if folded(content) in folded(text):
        return False
    mine = concepts(content)
    return not mine or shared(mine, concepts(text)) != mine


def _union(first: Iterable[str], second: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*first, *second]))


def _changed(found: MarkdownDocument, **fields: Any) -> MarkdownDocument:
    changes = {name: value for name, value in fields.items() if found.fields.get(name) != value}
    return found.with_fields(**changes) if changes else found


def _observations(found: MarkdownDocument) -> list[Observation]:
    given = found.fields.get("observed")
    return [_observation(row) for row in given if isinstance(row, dict)] if isinstance(given, list) else []


def _observation(row: Mapping[str, Any]) -> Observation:
    return Observation(
        **{each.name: str(row[each.name]) if row.get(each.name) else None for each in fields(Observation)}
    )


def _distinct(rows: Iterable[Observation]) -> tuple[Observation, ...]:
    """Remove duplicate observations: by id, or by all fields if there is no id."""
    return tuple({row.id or row: row for row in reversed(list(rows))}.values())[::-1]
