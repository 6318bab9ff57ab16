"""What a document is: a record as JSON carries it, written and read."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Generic, Self, TypeVar, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema

R = TypeVar("R")
D = TypeVar("D", bound="Document")

TIME_EXAMPLE = "2026-03-02T09:00:00.000000Z"
ENTRY_EXAMPLE = "7f3c0a52-5d0e-4f7e-9f63-0d3c8f1b2a11"
MEMORY_EXAMPLE = "0d1f6c5e-93f0-4c0e-8f0b-7f1f8c1f9b22"
CHUNK_EXAMPLE = "b7e1c3d4-2f7a-4a57-9d0e-1c9a55f0a001"
INSIGHT_EXAMPLE = "insight-d05dce5f-702c-51cf-a6b7-0c135c03746c"
CONTENT_EXAMPLE = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."


def rfc3339(at: datetime) -> str:
    """Return a time in UTC, with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


Moment = Annotated[
    AwareDatetime,
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": [TIME_EXAMPLE]}),
]
EntryId = Annotated[str, Field(examples=[ENTRY_EXAMPLE])]
MemoryId = Annotated[str, Field(examples=[MEMORY_EXAMPLE])]
Content = Annotated[str, Field(examples=[CONTENT_EXAMPLE])]
ProjectId = Annotated[str, Field(description="The project.", examples=["apollo"])]
# What requests take, too, in narrower types.
SESSION = Field(description="The session it was said in.", examples=["s-42"])
AGENT = Field(description="The agent that said it.", examples=["cfo"])
NODE = Field(description="The workflow node.", examples=["finance"])
CONFIDENCE = Field(description="The agent's own score.", examples=[0.93])
METADATA = Field(description="Whatever was sent along to be kept with it.", examples=[{}])
ASKING_AGENT = Field(description="The agent that asks.", examples=["cfo"])
QUERY = Field(description="The question.", examples=["which database does the ledger use?"])
# Limits are documented and not checked here: whatever a store holds can be shown.
Count = Annotated[int, Field(json_schema_extra={"minimum": 0}, examples=[12])]


class Document(BaseModel):
    """A JSON object with all its fields and no other; a reader passes over what a newer writer adds."""

    model_config = ConfigDict(
        defer_build=True, extra="ignore", from_attributes=True, json_schema_extra={"additionalProperties": False}
    )

    @classmethod
    def of(cls, record: object = None, **beside: object) -> Self:
        """Return the document of a record; `beside` are fields that the record lacks or has otherwise."""
        return cls.model_validate(_Extended(record, beside) if beside else record)

    @classmethod
    def read(cls, json: bytes | str) -> Self:
        """Read JSON strictly; pydantic's ValidationError says what is missing or of another kind."""
        return cls.model_validate_json(json, strict=True)

    def plain(self) -> dict[str, Any]:
        """Return the document as plain JSON values."""
        return self.model_dump(mode="json", exclude_unset=True)

    def encode(self) -> bytes:
        """Return the document as JSON."""
        return self.__pydantic_serializer__.to_json(self, exclude_unset=True)


class RecordDocument(Document, Generic[R]):
    """The document of a kind of record: most of its fields, by the same names."""

    @classmethod
    def record_type(cls) -> type[R]:
        """Return the kind of record."""
        return cast("type[R]", _argument(cls))

    def record(self, **beside: Any) -> R:
        """Return the record; `beside` are fields that the document lacks or has otherwise."""
        kind = self.record_type()
        return kind(**self.shared(kind, *beside), **beside)

    def shared(self, kind: type, *but: str) -> dict[str, Any]:
        """Return what the document says of the fields of a kind of record."""
        return {name: plain_record(getattr(self, name)) for name in _shared(type(self), kind) if name not in but}


def plain_record(value: Any) -> Any:
    """Return what a record holds in place of a document, a list of documents or anything else."""
    if isinstance(value, list):
        return tuple(map(plain_record, value))
    return value.record() if isinstance(value, RecordDocument) else value


class _Extended:
    """A record with fields beside it."""

    def __init__(self, record: object, beside: dict[str, object]) -> None:
        self.__dict__.update(beside)
        self.__dict__["_record"] = record

    def __getattr__(self, name: str) -> Any:
        return getattr(self._record, name)


@cache
def _argument(document: type[RecordDocument[Any]]) -> Any:
    """Return the type argument of RecordDocument in a document class."""
    found = (base.__pydantic_generic_metadata__["args"] for base in document.__mro__ if issubclass(base, Document))
    return next(filter(None, found))[0]


@cache
def _shared(document: type[Document], kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name in document.model_fields)
