"""What callers may send, exactly: the OpenAPI document says the same as what is checked."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from memsieve import documents
from memsieve.digest.pipeline import MOST_DAYS
from memsieve.documents.document import (
    AGENT,
    ASKING_AGENT,
    CONFIDENCE,
    CONTENT_EXAMPLE,
    ENTRY_EXAMPLE,
    MEMORY_EXAMPLE,
    METADATA,
    NODE,
    QUERY,
    SESSION,
)
from memsieve.model import ATOM_NAME, CALLER_FIELDS, DateRange, Decision, EntryFields, ReviewStatus
from memsieve.retrieval.retriever import MAX_DAYS, MAX_ITEMS
from memsieve.validate import MAX_NAME_LENGTH, UNSEEN

# As `str.strip` has it.
_WHITE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CONTROL = r"\x00-\x1f\x7f-\x9f"
NAME = rf"^[^{_CONTROL}{_WHITE}{UNSEEN}]([^{_CONTROL}{UNSEEN}]*[^{_CONTROL}{_WHITE}{UNSEEN}])?$"
# An id in an address: a slash would end it.
ID = NAME.replace("[^", "[^/")
PROJECT = r"^[\p{L}\p{N}_](\.?[\p{L}\p{N}_:@-])*\.?$"
TEXT = rf"^[^\x00]*[^\x00{_WHITE}][^\x00]*$"
IDEMPOTENCY_KEY = r"^[!-~]{1,128}$"
POSITION = "^[0-7][0-9a-f]{15}(-[0-7][0-9a-f]{15})?$"
ATOM = f"^{ATOM_NAME}$"
CURSOR = r"^[A-Za-z0-9_-]{1,512}$"
# What a pattern asks for, in words: nobody reads these.
PATTERNS_TOLD = {
    NAME: "must be a name without control or invisible characters, and without spaces around it",
    ID: "must be an id as memsieve gives them",
    PROJECT: "must be letters, digits and . _ - : @ (any language), beginning with a letter or digit, without '..'",
    ATOM: "must be KB_ID:ATOM_ID, each of at most 61 letters, digits and . _ - in ASCII",
    TEXT: "is empty or holds a NUL character",
    IDEMPOTENCY_KEY: "must be 1 to 128 visible ASCII characters, without spaces",
    POSITION: "must be the id of an event, as the stream gave it",
    CURSOR: "is none that this list gave",
}
# Of four bytes each they are as many as the rooms below take.
MAX_REASON = 500
MAX_QUESTION = 16_384
MAX_SEARCH = 1000
MAX_PAGE = 1000
_DIGITS = re.compile("[0-9]{1,9}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
PAGE = 50

Name = Annotated[str, Field(pattern=NAME, max_length=MAX_NAME_LENGTH)]
Id = Annotated[str, Field(pattern=ID, max_length=MAX_NAME_LENGTH, description="Its id, as memsieve gave it.")]
ProjectName = Annotated[str, Field(pattern=PROJECT, max_length=MAX_NAME_LENGTH, examples=["apollo"])]
Text = Annotated[str, Field(pattern=TEXT)]
Reason = Annotated[
    str,
    Field(pattern=TEXT, max_length=MAX_REASON, description="Why; it stands in the audit log.", examples=["outdated"]),
]
IdempotencyKey = Annotated[str, Field(pattern=IDEMPOTENCY_KEY)]
Position = Annotated[str, Field(pattern=POSITION)]
Cursor = Annotated[str, Field(pattern=CURSOR)]


def _whole(value: Any) -> Any:
    """Take 5.0 for 5, as JSON Schema does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _digits(value: Any) -> Any:
    """Read a number of a query, written with digits alone."""
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else None


def _signed(value: Any) -> Any:
    """Read a number of a query that may be less than nothing."""
    if isinstance(value, str) and value.startswith("-") and _DIGITS.fullmatch(value[1:]):
        return -int(value[1:])
    return _digits(value)


def _written(value: Any) -> Any:
    """Take a time only as RFC 3339 writes it."""
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else None


def _switch(value: Any) -> Any:
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else value


Switch = Annotated[bool, BeforeValidator(_switch)]
# The bounds come first: behind a validator they are checked, but not told.
Limit = Annotated[
    int,
    Field(ge=1, le=MAX_PAGE, description=f"How many to return at most; {PAGE} where it is not given."),
    BeforeValidator(_digits),
]
Search = Annotated[str, Field(pattern=TEXT, max_length=MAX_SEARCH)]
Line = Annotated[int, Field(ge=0, le=999_999_999), BeforeValidator(_digits)]
Days = Annotated[int, Field(ge=1, le=DateRange.MOST_DAYS), BeforeValidator(_digits)]
Offset = Annotated[int, Field(ge=-840, le=840), BeforeValidator(_signed)]
MostItems = Annotated[int, Field(ge=0, le=MAX_ITEMS), BeforeValidator(_whole)]
# A bare number would be taken for seconds since 1970.
Moment = Annotated[documents.Moment, BeforeValidator(_written)]
# What JSON can carry, without the one character that no store keeps; the rooms below check it.
Metadata = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"pattern": r"^[^\x00]*$"},
            "additionalProperties": {"$ref": "#/components/schemas/JsonValue"},
        }
    ),
]
JSON_VALUE: dict[str, Any] = {
    "description": "Any JSON, without NUL characters.",
    "anyOf": [
        {"type": ["null", "boolean", "number"]},
        {"type": "string", "pattern": r"^[^\x00]*$"},
        {"type": "array", "items": {"$ref": "#/components/schemas/JsonValue"}},
        {
            "type": "object",
            "propertyNames": {"pattern": r"^[^\x00]*$"},
            "additionalProperties": {"$ref": "#/components/schemas/JsonValue"},
        },
    ],
}


class Body(BaseModel):
    """A body that names its project; a key of a project needs no name, all others do."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    project_id: ProjectName | None = Field(default=None, description="The project; that of the key, if it has one.")
    group_id: ProjectName | None = Field(
        default=None, description="Another name of project_id; where both are given they are the same.", examples=[None]
    )


class RecordBody(Body):
    """What an agent said."""

    session_id: Annotated[Name, SESSION]
    content: Text = Field(
        description="What was said, at most `max_content_bytes` in UTF-8.",
        examples=[CONTENT_EXAMPLE],
    )
    agent_id: Annotated[Name | None, AGENT] = None
    node_id: Annotated[Name | None, NODE] = None
    confidence: Annotated[Annotated[float, Field(ge=0, le=1)] | None, CONFIDENCE] = None
    metadata: Annotated[Metadata | None, METADATA] = None

    def entry_fields(self) -> EntryFields:
        """Return what is said of the entry beside its text and session."""
        return cast("EntryFields", {name: getattr(self, name) for name in CALLER_FIELDS})


class QueryBody(Body):
    """A question with its options."""

    query: Annotated[str, Field(pattern=TEXT, max_length=MAX_QUESTION), QUERY]
    max_results: MostItems = Field(default=5, description="Most verified memories.")
    max_unverified: MostItems = Field(default=10, description="Most items of temporary context.")
    time_range_days: Annotated[float, Field(ge=0, le=MAX_DAYS)] | None = Field(
        default=None, description="Only what is at most so many days old.", examples=[30]
    )
    relevance_threshold: Annotated[float, Field(ge=0, le=1)] = Field(default=0.0, description="The least score.")
    session_id: Name | None = Field(
        default=None,
        description="The session that asks: what it is served cannot come back from it as new evidence.",
        examples=["s-42"],
    )
    agent_id: Annotated[Name | None, ASKING_AGENT] = None
    explain: bool = Field(default=False, description="Say of each result why it was found.")
    prompt: bool = Field(default=False, description="Add the results as a Markdown block for a prompt.")


class IngestBody(Body):
    """A person's own text for long-term memory."""

    content: Text = Field(
        description="The text, at most `max_content_bytes` in UTF-8.", examples=["The ledger runs on PostgreSQL."]
    )
    atom: Annotated[str, Field(pattern=ATOM)] | None = Field(
        default=None,
        description="The atom of a knowledge base that the text is, as `KB_ID:ATOM_ID`; it becomes a source.",
        examples=[None],
    )


class PromoteBody(Body):
    """What is to be promoted."""

    id: Name = Field(description="The insight or the entry.", examples=[ENTRY_EXAMPLE])
    text: Text | None = Field(
        default=None, description="Your words for it, in place of its own.", examples=["The ledger runs on PostgreSQL."]
    )


class ProposeBody(Body):
    """What is to be put before a person."""

    id: Name = Field(description="The entry.", examples=[ENTRY_EXAMPLE])
    reason: Annotated[str, Field(pattern=TEXT, max_length=MAX_REASON)] = Field(
        description="Why a person should promote it; they read it.", examples=["Three sessions measured it."]
    )


class DismissBody(Body):
    """What is to be dismissed."""

    id: Name = Field(description="The insight or the entry.", examples=[ENTRY_EXAMPLE])
    reason: Reason


class RetireBody(Body):
    """What is to be retired."""

    id: Name = Field(description="The memory, or a chunk of it.", examples=[MEMORY_EXAMPLE])
    reason: Reason
    superseded: bool = Field(
        default=False, description="Whether others took its place: what a living memory still says is not buried then."
    )


class DigestBody(Body):
    """Which digest is to be made."""

    days: Annotated[float, Field(ge=0, le=MOST_DAYS)] = Field(default=7, description="How many days it looks back.")


class AdminKeyBody(BaseModel):
    """An admin's key, for all projects."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Name = Field(description="Whom the key is for.", examples=["ops@example.org"])
    role: Literal["admin"] = Field(description="What the key lets them do: everything, in every project.")


class ProjectKeyBody(Body):
    """A key of one project."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [name], "properties": {name: {"type": "string"}}} for name in ("project_id", "group_id")
            ]
        }
    )

    name: Name = Field(description="Whom the key is for: the actor of all done with it.", examples=["cfo-agent"])
    role: Literal["agent", "reviewer", "auditor"] = Field(
        description="What the key lets them do: an agent records and asks, an auditor reads, a reviewer decides."
    )


KeyBody = Annotated[AdminKeyBody | ProjectKeyBody, Field(discriminator="role")]


class Named(BaseModel):
    """A query that names its project; a key of a project needs no name, all others do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project_id: ProjectName | SkipJsonSchema[None] = Field(
        default=None, description="The project; that of the key, if it has one."
    )
    group_id: ProjectName | SkipJsonSchema[None] = Field(
        default=None, description="Another name of project_id; where both are given they are the same."
    )


class NamedPageQuery(Named):
    """A page of a list of one project."""

    limit: Limit = PAGE
    cursor: Cursor | SkipJsonSchema[None] = Field(default=None, description="`next_cursor` of the page before.")


class PageQuery(BaseModel):
    """A page of a list of all projects."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Limit = PAGE
    cursor: Cursor | SkipJsonSchema[None] = Field(default=None, description="`next_cursor` of the page before.")


class AuditQuery(NamedPageQuery):
    """Which lines of the audit log to list."""

    after: Line = Field(default=0, description="Only lines after this one.")
    before: Line | SkipJsonSchema[None] = Field(default=None, description="Only lines before this one.")
    newest_first: Switch = Field(default=False, description="The newest first, in place of the oldest.")


class MemoriesQuery(NamedPageQuery):
    """Which memories to list."""

    after_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only what follows this one in the list.")
    search: Search | SkipJsonSchema[None] = Field(default=None, description="Only what holds this text.")
    retired: Switch = Field(default=False, description="Those that were retired, in place of those that are served.")
    newest_first: Switch = Field(default=False, description="The newest first, in place of the oldest.")


class QuarantineQuery(NamedPageQuery):
    """Which entries to list; each narrows the list."""

    session_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only this session.")
    agent_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only this agent.")
    decision: Decision | SkipJsonSchema[None] = Field(default=None, description="Only what the filter decided so.")
    review: ReviewStatus | SkipJsonSchema[None] = Field(default=None, description="Only what a person decided so.")
    check: Name | SkipJsonSchema[None] = Field(default=None, description="Only what did not pass this check.")
    search: Search | SkipJsonSchema[None] = Field(default=None, description="Only what holds this text.")
    since: Moment | SkipJsonSchema[None] = Field(default=None, description="Only what was said since then.")
    until: Moment | SkipJsonSchema[None] = Field(
        default=None, description="Only what was said before then.", examples=["2026-03-09T09:00:00Z"]
    )
    beyond_id: Name | SkipJsonSchema[None] = Field(
        default=None, description="Only what follows this entry in the list."
    )
    oldest_first: Switch = Field(default=False, description="The oldest first, in place of the newest.")


class FlowQuery(Named):
    """Which days to count."""

    days: Days = Field(default=30, description="How many days, with today.")
    offset_minutes: Offset = Field(
        default=0, description="Where a day begins: how many minutes clocks there are ahead of UTC."
    )


class InsightsQuery(NamedPageQuery):
    """Which insights to list."""

    decided: Switch = Field(default=False, description="Those that are decided on, in place of those that wait.")
    after_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only what follows this one in the list.")


class KeysQuery(NamedPageQuery):
    """Which keys to list: of one project, or all."""


class Waiting(BaseModel):
    """What to wait for: a slow judge, the filter, or the durable write alone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wait: Switch = Field(default=False, description="Wait for the decision, also where an LLM judges.")
    decide: Literal["now", "later"] = Field(
        default="now",
        description="`later`: answer when it is on disk, and decide after that; not for those who `wait`.",
    )


class Why(Named):
    """Why an entry is deleted."""

    reason: Reason
