"""The OpenAPI document: what FastAPI finds out, and what it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from memsieve.api import problems
from memsieve.api.requests import JSON_VALUE
from memsieve.documents import Event

DESCRIPTION = """\
Memory purification for AI agents: everything said goes to quarantine, what passes the filter is working memory for 24
hours, and only people write long-term memory.

A key has a role and a project: `Authorization: Bearer msv_…`. All is done in the key's name; a program that means to
act for somebody says so in `X-Memsieve-By` (UTF-8, percent-encoded), and is refused with 403 if the key is another's.
Every error is a problem document (RFC 9457) that says
what to do next. Lists come in pages: send `next_cursor` as `cursor` for the next one."""
_TAGS = {
    "Session": "Who calls; and signing in with a cookie and a half of the page's, for pages of this server.",
    "Recording": "What agents say.",
    "Retrieval": "What agents and people ask.",
    "Quarantine": "All that was said, for a person's audit.",
    "Digest": "What waits for a person's decision.",
    "Review": "A person's decisions.",
    "Audit": "Who did what, when and why.",
    "Events": "What happens, as it happens.",
    "Keys": "Who may come in.",
    "Operations": "Does the server live, is it ready, and what are its numbers.",
}
_KEY = {"type": "http", "scheme": "bearer", "description": "A key of `memsieve keys make`: `msv_<id>_<secret>`."}
_HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "The id of the request, which stands in the server's log, too.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
    "X-Answer-ID": {
        "description": "The id by which the audit knows what was served in this answer.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "Where to read what became of the entry.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Set-Cookie": {
        "description": "One half of the key, for the pages of this server alone.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "After how many seconds to try again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "How to say who calls: with a key.",
        "required": True,
        "schema": {"type": "string", "const": "Bearer"},
    },
}
_HEADERS_OF_PROBLEMS = {"401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After"}

Schemas = dict[str, dict[str, Any]]


def describe(app: FastAPI) -> None:
    """Let an application tell the whole document, made once."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _made(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign] # FastAPI's own way


def _made(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="memsieve",
        version=app.version,
        description=DESCRIPTION,
        routes=app.routes,
        tags=[{"name": name, "description": told} for name, told in _TAGS.items()],
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
    """Return the schema of what no route answers with as a whole, and those it refers to."""
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
    """Show a whole answer, put together from the examples of its fields."""
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
