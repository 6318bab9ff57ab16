"""The eight types of items: folder, file name and required fields of each."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType

from memsieve import validate
from memsieve.errors import InvalidInput
from memsieve.kb.files import names

SESSION = "session"
STAGING = "staging"
REPORTS = "reports"
STAGING_REPORT = "staging-report.md"
CHECKPOINT = "checkpoint"
MOST_CONTENT_BYTES = 512 * 1024
MOST_EVIDENCE_BYTES = 16 * 1024
MOST_DESCRIPTION_BYTES = 2000
_FIELD = re.compile(r"\{(\w+)\}")
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_LINE_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemType:
    """A type of item: its folder in the workspace, its file name, and the category of the atom that it becomes."""

    name: str
    folder: str
    pattern: str
    fields: tuple[str, ...]
    category: str | None = None

    @property
    def is_finding(self) -> bool:
        """Whether it is kept in staging until refined."""
        return self.folder == STAGING

    @property
    def is_correction(self) -> bool:
        """Whether it replaces the text of an atom."""
        return self.is_finding and self.category is None

    @property
    def title(self) -> str:
        """Its file name pattern, for people."""
        return _FIELD.sub("…", self.pattern)

    def matches(self, file_name: str) -> bool:
        """Say whether a file name may be that of such an item, with or without a number."""
        stem, _, suffix = self.pattern.rpartition(".")
        # Every second part is the name of a field.
        parts = [_value(part) if odd % 2 else re.escape(part) for odd, part in enumerate(_FIELD.split(stem))]
        return re.fullmatch(rf"{''.join(parts)}(-[0-9]+)?\.{suffix}", file_name, re.IGNORECASE | re.DOTALL) is not None


TYPES: Mapping[str, ItemType] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            ItemType(name="checkpoint", folder=SESSION, pattern="checkpoint-{state}-{timestamp}.md", fields=("state",)),
            ItemType(
                name="decoded_text",
                folder=SESSION,
                pattern="decoded-{filename}-{line_range}.txt",
                fields=("filename", "line_range"),
            ),
            ItemType(name="diff_compare", folder=SESSION, pattern="diff-{function_name}.md", fields=("function_name",)),
            ItemType(
                name="new_trap",
                folder=STAGING,
                pattern="new-trap-{description}.md",
                fields=("description",),
                category="traps",
            ),
            ItemType(
                name="new_pattern",
                folder=STAGING,
                pattern="new-pattern-{description}.md",
                fields=("description",),
                category="patterns",
            ),
            ItemType(name="correction", folder=STAGING, pattern="correction-{atom_name}.md", fields=("atom_name",)),
            ItemType(name="verify_report", folder=REPORTS, pattern="{filename}-{date}-verify.md", fields=("filename",)),
            ItemType(name="build_report", folder=REPORTS, pattern="{filename}-{date}-build.md", fields=("filename",)),
        )
    }
)
NAMING_FIELDS = ("state", "filename", "line_range", "function_name", "description", "atom_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item to write: its text, and the fields that its type requires."""

    type: str
    content: str = ""
    state: str | None = None
    filename: str | None = None
    line_range: str | None = None
    function_name: str | None = None
    description: str | None = None
    atom_name: str | None = None
    task: str | None = None
    agent: str | None = None
    tags: tuple[str, ...] = ()
    evidence: str | None = None

    def __post_init__(self) -> None:
        validate.one_of(self.type, tuple(TYPES), field="type")
        self._check_naming()
        self._check_content()
        if self.evidence is not None:
            _check_text(self.evidence, "evidence", MOST_EVIDENCE_BYTES)
        for field in ("task", "agent"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, validate.name(getattr(self, field), field=field))
        tags = (validate.name(tag, field="tags") for tag in self.tags)
        object.__setattr__(self, "tags", tuple(dict.fromkeys(tags)))

    @property
    def kind(self) -> ItemType:
        """Its type."""
        return TYPES[self.type]

    def file_name(self, now: datetime) -> str:
        """Return its file name, before numbering."""
        parts = {field: names.safe(getattr(self, field), fallback=field) for field in self.kind.fields}
        return self.kind.pattern.format(**parts, timestamp=timestamp(now), date=day(now))

    def _check_content(self) -> None:
        if self.content:
            _check_text(self.content, "content", MOST_CONTENT_BYTES)
        elif self.type != CHECKPOINT:
            raise InvalidInput(
                f"{self.type} needs content. Give it with --content, or --content - for standard input.",
                field="content",
            )

    def _check_naming(self) -> None:
        for field in NAMING_FIELDS:
            given = getattr(self, field)
            if field in self.kind.fields:
                self._check_given(field, given)
            elif given is not None:
                raise InvalidInput(f"{self.type} takes no {field}. Leave it out.", field=field)
        if not self.kind.is_finding and self.evidence is not None:
            raise InvalidInput(f"{self.type} takes no evidence: only findings do. Leave it out.", field="evidence")

    def _check_given(self, field: str, given: str | None) -> None:
        if given is None:
            option = field.replace("_", "-")
            raise InvalidInput(f"{self.type} needs {field}. Give it with --{option}.", field=field)
        _check_text(given, field, MOST_DESCRIPTION_BYTES)
        if field == "line_range":
            _check_lines(given)


def timestamp(now: datetime) -> str:
    """Format a time for a file name."""
    return now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def day(now: datetime) -> str:
    """Format a date for a file name."""
    return now.astimezone(UTC).strftime("%Y-%m-%d")


def written_time(now: datetime) -> str:
    """Format a time for front matter."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def place(folder: str, file_name: str) -> str:
    """Return the path of a file in a folder of the workspace, relative to the root."""
    return f"workspace/{folder}/{file_name}"


def type_of(folder: str, file_name: str) -> ItemType | None:
    """Return the type of a file in a folder of the workspace by its name, or None."""
    return next((kind for kind in TYPES.values() if kind.folder == folder and kind.matches(file_name)), None)


def why_unknown(folder: str, entry: os.DirEntry[str]) -> str | None:
    """Say why an entry in a folder of the workspace is no item; None if it is one."""
    if entry.is_symlink():
        return "It is a link; links are not followed."
    if not entry.is_file(follow_symlinks=False):
        return "It is no file."
    if (folder, entry.name) == (SESSION, STAGING_REPORT) or type_of(folder, entry.name) is not None:
        return None
    return "Its name is that of no item that is written here."


def day_of(file_name: str) -> str:
    """Return the date in the name of a report; empty if there is none."""
    found = re.search(rf".*-({_DAY})-", file_name, re.DOTALL)
    return found[1] if found else ""


def _value(field: str) -> str:
    return _DAY if field == "date" else ".+"


def _check_text(value: object, field: str, most: int) -> None:
    size = len(validate.text(value, field=field, max_bytes=sys.maxsize).encode())
    if size > most:
        raise InvalidInput(f"{field} has {size} bytes; {most} is the most. Shorten or split it.", field=field)


def _check_lines(given: str) -> None:
    found = _LINE_RANGE.fullmatch(given)
    if found is None or (found[2] is not None and int(found[1]) > int(found[2])):
        raise InvalidInput(f"line_range is {given!r}; write it as 42 or 1-40.", field="line_range")
