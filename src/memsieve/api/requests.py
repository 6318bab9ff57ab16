"""Strict JSON bodies, and the fields of requests: the OpenAPI document describes exactly what is validated."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, NoReturn

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from memsieve import documents
from memsieve.model import ATOM_NAME, DateRange
from memsieve.retrieval.retriever import MAX_ITEMS
from memsieve.validate import MAX_NAME_LENGTH, UNSEEN

# The white space of `str.strip`.
_WHITE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CONTROL = r"\x00-\x1f\x7f-\x9f"
NAME = rf"^[^{_CONTROL}{_WHITE}{UNSEEN}]([^{_CONTROL}{UNSEEN}]*[^{_CONTROL}{_WHITE}{UNSEEN}])?$"
# An id in a path: no slash.
ID = NAME.replace("[^", "[^/")
PROJECT = r"^[\p{L}\p{N}_](\.?[\p{L}\p{N}_:@-])*\.?$"
TEXT = rf"^[^\x00]*[^\x00{_WHITE}][^\x00]*$"
IDEMPOTENCY_KEY = r"^[!-~]{1,128}$"
POSITION = "^[0-7][0-9a-f]{15}(-[0-7][0-9a-f]{15})?$"
ATOM = f"^{ATOM_NAME}$"
CURSOR = r"^[A-Za-z0-9_-]{1,512}$"
# What a pattern demands, in words, for messages of errors.
PATTERN_HINTS = {
    NAME: "must be a name without control or invisible characters, and without spaces around it",
    ID: "must be an id as memsieve gives them",
    PROJECT: "must be letters, digits and . _ - : @ (any language), beginning with a letter or digit, without '..'",
    ATOM: "must be KB_ID:ATOM_ID, each of at most 61 letters, digits and . _ - in ASCII",
    TEXT: "is empty or holds a NUL character",
    IDEMPOTENCY_KEY: "must be 1 to 128 visible ASCII characters, without spaces",
    POSITION: "must be the id of an event, as the stream gave it",
    CURSOR: "is none that this list gave",
}
# In characters, which may have four bytes each: the limits of the layers below are in bytes.
MAX_REASON = 500
MAX_QUESTION = 16_384
MAX_SEARCH = 1000
MAX_PAGE = 1000
# Deeper than any real document, and shallow enough for recursive readers.
MAX_DEPTH = 64
_DIGITS = re.compile("[0-9]{1,9}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
PAGE = 50

Name = Annotated[str, Field(pattern=NAME, max_length=MAX_NAME_LENGTH)]
Id = Annotated[str, Field(pattern=ID, max_length=MAX_NAME_LENGTH, description="Its id, as memsieve gave it.")]
ProjectName = Annotated[str, Field(pattern=PROJECT, max_length=MAX_NAME_LENGTH, examples=["apollo"])]
Text = Annotated[str, Field(pattern=TEXT)]
Reason = Annotated[
    str,
    Field(pattern=TEXT, max_length=MAX_REASON, description="Why; it is kept in the audit log.", examples=["outdated"]),
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
    """Read a number of a query that may be negative."""
    if isinstance(value, str) and value.startswith("-") and _DIGITS.fullmatch(value[1:]):
        return -int(value[1:])
    return _digits(value)


def _written(value: Any) -> Any:
    """Take a time only as RFC 3339 writes it."""
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else None


def _switch(value: Any) -> Any:
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else value


Switch = Annotated[bool, BeforeValidator(_switch)]
# The bounds come first: behind a validator they are checked, but missing in the OpenAPI document.
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
# What JSON can carry, without NUL, which no store keeps; the layers below validate it.
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


class ProjectBody(BaseModel):
    """A body that names its project; a key of a project needs no name, all others do."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    project_id: ProjectName | None = Field(default=None, description="The project; that of the key, if it has one.")
    group_id: ProjectName | None = Field(
        default=None, description="Another name of project_id; where both are given they are the same.", examples=[None]
    )


class ProjectQuery(BaseModel):
    """A query that names its project; a key of a project needs no name, all others do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project_id: ProjectName | SkipJsonSchema[None] = Field(
        default=None, description="The project; that of the key, if it has one."
    )
    group_id: ProjectName | SkipJsonSchema[None] = Field(
        default=None, description="Another name of project_id; where both are given they are the same."
    )


class PageQuery(BaseModel):
    """A page of a list of all projects."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Limit = PAGE
    cursor: Cursor | SkipJsonSchema[None] = Field(default=None, description="`next_cursor` of the page before.")


class ProjectPageQuery(PageQuery, ProjectQuery):
    """A page of a list of one project."""


async def read_body(request: Request) -> Any:
    """Return the JSON of a request's body."""
    try:
        body = await request.body()
    except ClientDisconnect as exc:
        raise HTTPException(400, "The body did not come whole. Send it again.") from exc
    if not body:
        raise RequestValidationError([{"type": "missing", "loc": ("body",), "msg": "Field required", "input": None}])
    return read_json(body)


def require_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # An empty request without a type gets the error of its missing fields.
    empty = not kind and request.headers.get("content-length", "0") == "0"
    if kind != "application/json" and not (empty and "transfer-encoding" not in request.headers):
        raise HTTPException(415, "Send JSON, with `Content-Type: application/json`.")


def read_json(body: bytes) -> Any:
    """Read JSON strictly: UTF-8, no NaN, no repeated key, no number too long to parse, not too deep."""
    try:
        document = json.loads(body.decode(), parse_constant=_refuse_constant, object_pairs_hook=_object)
    except UnicodeDecodeError as exc:
        raise HTTPException(400, f"The body is not valid UTF-8 at byte {exc.start}. Encode it so.") from exc
    except json.JSONDecodeError as exc:
        raise HTTPException(400, f"The body is not JSON: {exc.msg} at position {exc.pos}. Correct it.") from exc
    except (ValueError, RecursionError) as exc:
        raise HTTPException(400, f"The body cannot be read: {exc}. Correct it.") from exc
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _deeper(document, MAX_DEPTH):
        raise HTTPException(400, f"The body is nested more than {MAX_DEPTH} deep. Make it flatter.")
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is twice in one object")
    return found


def _deeper(document: Any, most: int) -> bool:
    """Return whether a document is nested deeper than `most`, without recursion."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(most):
        level = [
            one
            for outer in level
            for one in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(one, dict | list)
        ]
        if not level:
            return False
    return True
