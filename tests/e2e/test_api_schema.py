"""The OpenAPI document against the server: what it says is taken is taken, and everything else is refused as it says.

`make fuzz` tries many more requests, and every role on every route.
"""

import os
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, settings
from schemathesis.python.asgi import shutdown_lifespans

from memsieve.api.app import create_app
from memsieve.api.routing import RestrictedRoute
from memsieve.config import Settings
from memsieve.memory import Memory
from memsieve.model import RIGHTS, KeyRole
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import entry

FUZZ = int(os.environ.get("FUZZ_EXAMPLES", "0"))
LEAST = "least"
PROJECT = "apollo"
# They are for all projects, or take no project at all.
PROJECTLESS = {"/api/v1/projects", "/api/v1/session", "/api/v1/keys", "/api/v1/keys/{id}"}


class Served:
    """Whichever server a test is about."""

    app = None

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


DESCRIBED = create_app(Settings(), bound_to_loopback=False)
schema = schemathesis.openapi.from_dict(DESCRIBED.openapi())
schema.app = Served()
schema.config.generation.update(max_examples=FUZZ or 3)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[KeyRole, str]]:
    """Serve a memory with something in it, and return a key of each role."""
    chosen = Settings(data=tmp_path_factory.mktemp("memory"), rate_limit=0)
    with pytest.MonkeyPatch.context() as patch:
        embedder = WordEmbedder()
        patch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: embedder)
        with Memory.open(settings=chosen) as memory:
            memory.maintenance(PROJECT).import_entry(entry())
            memory.project(PROJECT).review(by="ada").promote_text("We ship on Fridays.")
            made = {role: _make(memory, role) for role in KeyRole}
        schema.app.app = create_app(chosen, bound_to_loopback=False, stream_seconds=0.01)
        yield made
        shutdown_lifespans()


@schema.parametrize()
@pytest.mark.parametrize("as_role", list(KeyRole) if FUZZ else [LEAST])
@settings(deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=not FUZZ)
def test_the_server_does_what_its_document_says(case: schemathesis.Case, keys: dict[KeyRole, str], as_role: str):
    role = least_role(case) if as_role == LEAST else as_role
    if case.meta.generation.mode.is_positive:
        name_what_no_schema_can(case, role)
    else:
        # Neither would be sent, and the rest may be right.
        assume("" not in case.query and [] not in case.query.values())
    case.call_and_validate(headers={"Authorization": f"Bearer {keys[role]}"})


def test_the_stream_tells_events_as_its_document_says(keys: dict[KeyRole, str]):
    case = schema["/api/v1/events"]["GET"].Case(headers={"Last-Event-ID": "0" * 16})
    answer = case.call_and_validate(headers={"Authorization": f"Bearer {keys[KeyRole.AGENT]}"})
    assert "event: promoted" in answer.text


def least_role(case: schemathesis.Case) -> KeyRole:
    """Return the role with the fewest rights that may use an operation."""
    route = next(
        (one for one in DESCRIBED.routes if one.path == case.path and case.operation.method.upper() in one.methods),
        None,
    )
    roles = RIGHTS[route.right] if isinstance(route, RestrictedRoute) else frozenset(KeyRole)
    return next(role for role in KeyRole if role in roles)


def name_what_no_schema_can(case: schemathesis.Case, role: KeyRole) -> None:
    """Give an admin's request one project, and no request a cursor or position: only the server makes those.

    That two names of a project must be the same, and that only some callers need one, is beyond a schema.
    """
    case.query.pop("cursor", None)
    case.headers.pop("Last-Event-ID", None)
    named = case.body if isinstance(case.body, dict) else case.query
    if named.get("project_id") and named.get("group_id"):
        named.pop("group_id")
    if role is KeyRole.ADMIN and case.path not in PROJECTLESS and not named.get("group_id"):
        named["project_id"] = named.get("project_id") or PROJECT


def _make(memory: Memory, role: KeyRole) -> str:
    project = None if role is KeyRole.ADMIN else PROJECT
    _, text = memory.keys.make(name="fuzz", role=role, project_id=project, by="ada")
    return text
