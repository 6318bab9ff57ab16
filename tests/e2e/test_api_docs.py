"""The page on HTTP: its examples are requests that the server knows, and every route has one."""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi.dependencies.utils import request_params_to_args
from pydantic import TypeAdapter
from starlette.datastructures import QueryParams
from starlette.routing import Match

from memsieve.api import problems
from memsieve.api.app import create_app
from memsieve.api.routing import PREFIX, RestrictedRoute
from memsieve.config import Settings
from memsieve.model import RIGHTS, KeyRole

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text("utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("curl ")
]
ROUTES = [
    route for route in create_app(Settings()).routes if isinstance(route, RestrictedRoute) and route.include_in_schema
]


def parsed(command: str) -> tuple[str, str, list[str], str | None]:
    """Return method, address, headers and body of a curl command."""
    method, address, headers, body = "GET", "", [], None
    words = iter(shlex.split(command)[1:])
    for word in words:
        match word:
            case "-X":
                method = next(words)
            case "-H":
                headers.append(next(words))
            case "-d":
                body = next(words)
            case "-N":
                pass
            case _:
                assert not address
                address = word
    return method, address, headers, body


def route_of(command: str) -> RestrictedRoute:
    method, address, _, _ = parsed(command)
    scope = {"type": "http", "method": method, "path": urlsplit(address).path, "headers": []}
    [route] = [route for route in ROUTES if route.matches(scope)[0] is Match.FULL]
    return route


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_is_a_request_that_the_server_takes(command):
    _, address, headers, body = parsed(command)
    route = route_of(command)
    assert urlsplit(address)[:2] == ("http", "localhost:8080")
    assert (body is not None) == (route.body_field is not None)
    if body is not None:
        assert "Content-Type: application/json" in headers
        TypeAdapter(route.body_field.field_info.annotation).validate_python(json.loads(body))
    query = QueryParams(parse_qsl(urlsplit(address).query))
    _, errors = request_params_to_args(route.dependant.query_params, query)
    assert errors == []


def test_every_route_has_an_example():
    assert {id(route_of(command)) for command in COMMANDS} == {id(route) for route in ROUTES}


def test_the_table_of_rights_is_the_server_s():
    rows = re.findall(r"^\| (\w+) \|(.*)\| (.*) \|$", PAGE, re.MULTILINE)
    told = {right: (marks, routes) for right, marks, routes in rows if right in set(RIGHTS)}
    assert set(told) == set(RIGHTS)
    for right, roles in RIGHTS.items():
        marks, routes = told[right]
        columns = dict(zip(KeyRole, (mark.strip() for mark in marks.split("|")), strict=True))
        assert {role for role, mark in columns.items() if mark} == roles
        paths = {route.path.removeprefix(PREFIX) for route in ROUTES if route.right is right}
        assert set(re.findall(r"/[\w/{}]+", routes)) == paths


def test_the_table_of_errors_is_the_server_s():
    rows = re.findall(r"^\| (\d{3}) \| `([\w-]+)` \|", PAGE, re.MULTILINE)
    assert {int(status): name for status, name in rows} == {
        status: kind.name for status, kind in problems.KINDS.items()
    }
