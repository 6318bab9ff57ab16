"""The OpenAPI document as its readers find it: names, descriptions, examples and headers, of everything."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from memsieve.api.app import create_app
from memsieve.config import Settings
from memsieve.model import EventKind

DEEDS = {
    "record", "readAdmission", "query", "listWorking", "readStats", "listProjects", "listQuarantine", "readEntry",
    "readLineage", "deleteEntry", "makeDigest", "readDigest", "listInsights", "readInsight", "ingest", "promote",
    "dismiss", "retire", "listMemories", "listAudit", "verifyAudit", "streamEvents", "makeKey", "listKeys", "revokeKey",
    "readSession", "signIn", "signOut", "readFlow", "propose",
}  # fmt: skip
DOCUMENT = create_app(Settings()).openapi()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}


def properties(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return all properties that a part of the document describes, also within others."""
    match schema:
        case {"properties": dict(named), "type": "object"}:
            for name, one in named.items():
                yield f"{where}.{name}", one
    children = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for name, child in children:
        if name != "examples":
            yield from properties(child, f"{where}.{name}")


def answers(kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for line, operation in OPERATIONS.items():
        for status, answer in operation["responses"].items():
            if kind in answer.get("content", {}):
                yield line, status, answer


def valid(document: Any, schema: dict[str, Any]) -> bool:
    return Draft202012Validator({**schema, "components": {"schemas": SCHEMAS}}).is_valid(document)


def test_every_operation_is_named_by_its_deed():
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    assert {name for line, name in zip(OPERATIONS, names, strict=True) if "/api/v1/" in line} == DEEDS


def test_every_operation_has_a_summary_and_a_tag_that_is_described():
    described = {tag["name"] for tag in DOCUMENT["tags"] if tag["description"]}
    for line, operation in OPERATIONS.items():
        assert operation["summary"], line
        assert set(operation["tags"]) <= described, line
    assert "Operations" in described


def test_every_property_is_described():
    found = [*properties(SCHEMAS, "schemas"), *properties(DOCUMENT["paths"], "paths")]
    assert len(found) > 250
    assert [where for where, one in found if not one.get("description")] == []


def test_every_parameter_is_described_and_none_is_null():
    for line, operation in OPERATIONS.items():
        for parameter in operation.get("parameters", []):
            where = f"{line} {parameter['name']}"
            assert parameter.get("description"), where
            assert not valid(None, parameter["schema"]), where


def test_every_answer_in_json_has_an_example_that_its_schema_takes():
    found = list(answers("application/json"))
    assert len(found) >= 25
    for line, status, answer in found:
        content = answer["content"]["application/json"]
        assert content["example"], f"{line} {status}"
        assert valid(content["example"], content["schema"]), f"{line} {status}"


def test_who_is_not_ready_is_shown_so():
    shown = {
        status: answer["content"]["application/json"]["example"]
        for line, status, answer in answers("application/json")
        if line == "GET /readyz"
    }
    assert {status: example["ready"] for status, example in shown.items()} == {"200": True, "503": False}
    assert [part["advice"] for part in shown["200"]["parts"]] == [None]


@pytest.mark.parametrize(
    ("settings", "bound_to_loopback", "keyless"),
    [(Settings(), True, True), (Settings(require_keys=True), True, False), (Settings(), False, False)],
)
def test_metrics_are_documented_to_need_a_key_where_nobody_is_local(settings, bound_to_loopback, keyless):
    document = create_app(settings, bound_to_loopback=bound_to_loopback).openapi()
    assert ({} in document["paths"]["/metrics"]["get"]["security"]) is keyless


def test_every_problem_has_an_example_that_its_schema_takes():
    for line, status, answer in answers("application/problem+json"):
        content = answer["content"]["application/problem+json"]
        assert content["example"]["status"] == int(status), line
        assert valid(content["example"], content["schema"]), line


def test_schemas_have_plain_names():
    assert all(name.isalpha() for name in SCHEMAS)
    pages = {name for name in SCHEMAS if name.endswith("Page")}
    assert pages == {
        "AuditPage", "EntryPage", "InsightPage", "KeyPage", "MemoryPage", "ProjectPage", "ReceiptPage"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "status", "header"),
    [
        ("POST /api/v1/memory/quarantine", "201", "Location"),
        ("POST /api/v1/memory/quarantine", "202", "Location"),
        ("POST /api/v1/memory/query", "200", "X-Answer-ID"),
    ],
)
def test_what_is_told_in_the_head_is_documented(line, status, header):
    reference = OPERATIONS[line]["responses"][status]["headers"][header]["$ref"]
    assert reference == f"#/components/headers/{header}"


def test_every_answer_documents_the_headers_of_its_status():
    of_status = {"401": {"WWW-Authenticate"}, "429": {"Retry-After"}, "503": {"Retry-After"}}
    for line, status, answer in answers("application/problem+json"):
        assert {"X-Request-ID", *of_status.get(status, ())} == answer["headers"].keys(), f"{line} {status}"
    assert all("X-Request-ID" in one["headers"] for line in OPERATIONS.values() for one in line["responses"].values())
    assert all(header["description"] for header in DOCUMENT["components"]["headers"].values())


def test_the_stream_of_events_says_what_an_event_holds():
    content = OPERATIONS["GET /api/v1/events"]["responses"]["200"]["content"]["text/event-stream"]
    event, data = (content["schema"]["properties"][name] for name in ("event", "data"))
    assert {"$ref": "#/components/schemas/Event"} in data["contentSchema"]["anyOf"]
    assert set(event["enum"]) == {*EventKind, "reset", "overflow"}
    assert valid(content["example"], content["schema"])
    assert valid(json.loads(content["example"]["data"]), data["contentSchema"])
    assert set(SCHEMAS["EventKind"]["enum"]) == set(EventKind)
    assert SCHEMAS["Event"]["properties"].keys() == {"position", "project_id", "kind", "at", "subject"}
