"""The OpenAPI document: FastAPI's own, with headers, examples and schemas added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from memsieve.api import problems
from memsieve.api.requests import JSON_VALUE
from memsieve.documents import Event

DESCRIPTION = """\
Memory purification for AI agents: everything recorded goes to quarantine, what passes the filter is working memory
for 24 hours, and only people write long-term memory.

A key has a role and a project: `Authorization: Bearer msv_…`. Everything is done in the key's name; a program can send
the name that it expects in `X-Memsieve-By` (UTF-8, percent-encoded), and gets 403 if the key belongs to another.
Every error is a problem document (RFC 9457) that says what to do next. Lists are paginated: send `next_cursor` as
`cursor` for the next page."""
_TAGS = {
    "Session": "The caller; and signing in with a cookie and a half key, for pages of this server.",
    "Recording": "Entries of agents.",
    "Retrieval": "Questions of agents and people.",
    "Quarantine": "All entries, for a person's audit.",
    "Digest": "Insights that wait for a person's decision.",
    "Review": "A person's decisions.",
    "Audit": "Who did what, when and why.",
    "Events": "Events of a project, as they happen.",
    "Keys": "Keys and their roles.",
    "Operations": "Liveness, readiness and metrics.",
}
_KEY = {"type": "http", "scheme": "bearer", "description": "A key of `memsieve keys make`: `msv_<id>_<secret>`."}
_HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "The id of the request, as in the server's log.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "X-Answer-ID": {
        "description": "The id by which the audit knows what was served in this answer.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "Where to read the filter's decision on the entry.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Set-Cookie": {
        "description": "One half of the key, for the pages of this server alone.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds to wait before trying again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "How to authenticate: with a key.",
        "required": True,
        "schema": {"type": "string", "const": "Bearer"},
    },
}
_HEADERS_OF_PROBLEMS = {"401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After"}

Schemas = dict[str, dict[str, Any]]


def describe(app: FastAPI) -> None:
    """Give an application the whole document, made once."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _made(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign] # as FastAPI documents it


def _made(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="memsieve",
        version=app.version,
        description=DESCRIPTION,
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"key": _KEY}
    components["headers"] = _HEADERS
    schemas = components.setdefault("schemas", {})
    schemas.update(_schemas_of(Event), Problem=problems.Problem.model_json_schema(), JsonValue=JSON_VALUE)
    for status, answer in _answers(document):
        _add_headers(status, answer)
        _add_example(answer, schemas)
    return document


def _schemas_of(model: type[Event]) -> Schemas:
    """Return the schema of a model that is no route's answer, and those it refers to."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs", {}), model.__name__: schema}


def _answers(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for operations in document["paths"].values():
        for operation in operations.values():
            yield from operation["responses"].items()


def _add_headers(status: str, answer: dict[str, Any]) -> None:
    names = ["X-Request-ID"]
    if status in _HEADERS_OF_PROBLEMS and problems.MEDIA_TYPE in answer.get("content", {}):
        names.append(_HEADERS_OF_PROBLEMS[status])
    answer.setdefault("headers", {}).update({name: {"$ref": f"#/components/headers/{name}"} for name in names})


def _add_example(answer: dict[str, Any], schemas: Schemas) -> None:
    """Add an example of a whole answer, made of the examples of its fields."""
    content = answer.get("content", {}).get("application/json")
    if content is not None:
        content.setdefault("example", _example(content["schema"], schemas))


def _example(schema: dict[str, Any], schemas: Schemas) -> Any:
    match schema:
        case {"example": example} | {"examples": [example, *_]} | {"const": example}:
            return example
        case {"$ref": reference}:
            return _example(schemas[reference.rpartition("/")[2]], schemas)
        case {"anyOf": [first, *_]}:
            return _example(first, schemas)
        case {"items": items}:
            return [_example(items, schemas)]
        case _:
            return {name: _example(one, schemas) for name, one in schema["properties"].items()}
