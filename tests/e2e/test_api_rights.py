"""Who may what, on every route there is: the credential decides, and it never tells of other projects."""

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.routing import Route

from memsieve.api.app import create_app
from memsieve.api.routing import PREFIX, RestrictedRoute
from memsieve.config import Settings

ALL = {"agent", "reviewer", "auditor", "admin"}
RECORD, QUERY = {"agent", "reviewer", "admin"}, ALL
AUDIT, REVIEW, KEYS = {"reviewer", "auditor", "admin"}, {"reviewer", "admin"}, {"admin"}

MAY = {
    "POST /memory/quarantine": RECORD,
    "GET /memory/entries/{id}/admission": RECORD,
    "POST /memory/propose": RECORD,
    "POST /memory/query": QUERY,
    "GET /memory/working": QUERY,
    "GET /session": QUERY,
    "POST /session": QUERY,
    "DELETE /session": QUERY,
    "GET /stats": QUERY,
    "GET /events": QUERY,
    "GET /projects": QUERY,
    "GET /memory/quarantine": AUDIT,
    "GET /memory/entries/{id}": AUDIT,
    "GET /memory/entries/{id}/lineage": AUDIT,
    "GET /memory/digest": AUDIT,
    "GET /memory/insights": AUDIT,
    "GET /memory/insights/{id}": AUDIT,
    "GET /memory/longterm": AUDIT,
    "GET /flow": AUDIT,
    "GET /audit": AUDIT,
    "GET /audit/verification": AUDIT,
    "POST /memory/ingest": REVIEW,
    "POST /memory/digest": REVIEW,
    "POST /memory/promote": REVIEW,
    "POST /memory/dismiss": REVIEW,
    "POST /memory/retire": REVIEW,
    "DELETE /memory/entries/{id}": REVIEW,
    "GET /keys": KEYS,
    "POST /keys": KEYS,
    "DELETE /keys/{id}": KEYS,
}
# These need no key: two say nothing of what is kept, and the metrics and MCP have tests of their own.
OPEN = {"/openapi.json", "/healthz", "/readyz", "/metrics", "/mcp"}
BODIES = {
    "/memory/quarantine": {"session_id": "s1", "content": "What somebody says of the ledger, which is long enough."},
    "/memory/query": {"query": "ledger"},
    "/memory/ingest": {"content": "We ship on Fridays."},
    "/memory/digest": {},
    "/memory/promote": {"id": "ID"},
    "/memory/propose": {"id": "ID", "reason": "measured"},
    "/memory/dismiss": {"id": "ID", "reason": "wrong"},
    "/memory/retire": {"id": "ID", "reason": "wrong"},
    "/keys": {"name": "new", "role": "agent"},
}
# Everybody's projects are told by the credential alone, and keys are an admin's, who reaches all projects.
PROJECTLESS = {
    "GET /projects", "GET /session", "POST /session", "DELETE /session", "GET /keys", "POST /keys", "DELETE /keys/{id}"
}  # fmt: skip
PROXY_HEADERS = (
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "CF-Connecting-IP",
    "True-Client-IP",
    "Fly-Client-IP",
)


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        assert isinstance(route, Route), f"{route} is a route of a kind that this test does not know"
        for method in route.methods - {"HEAD"}:
            yield method, route.path


def ask(api, line: str, *, key: str | None, project: str | None = "apollo", some_id: str = "unknown", **headers: str):
    """Ask what a line of the table says, about a project."""
    method, path = line.split()
    unnamed = project is None or line in {"GET /projects", "DELETE /keys/{id}"} or path == "/session"
    named = {} if unnamed else {"project_id": project}
    where = path.replace("{id}", some_id)
    if method == "POST" and path in BODIES:
        body = {name: some_id if value == "ID" else value for name, value in BODIES[path].items()}
        return api.send(method, where, key=key, json={**body, **named}, headers=headers)
    named |= {"reason": "wrong"} if path == "/memory/entries/{id}" and method == "DELETE" else {}
    return api.send(method, where, key=key, params=named, headers=headers)


def told(response) -> str:
    """Return all that an answer tells, apart from the id of its request."""
    request_id = response.headers["x-request-id"]
    headers = sorted((name, value) for name, value in response.headers.items() if name != "x-request-id")
    return f"{response.status_code} {headers} {response.text}".replace(request_id, "")


def test_the_table_of_rights_names_every_route_there_is(api):
    there = {f"{method} {path}" for method, path in routes(api.client.app) if path not in OPEN}
    assert there == {line.replace(" ", f" {PREFIX}", 1) for line in MAY}
    assert all(isinstance(route, RestrictedRoute) for route in api.client.app.routes if route.path not in OPEN)


def refused(api, key: str | None) -> set[str]:
    """Return the lines of the table that a key has no right to; every other one is answered properly."""
    statuses = {line: ask(api, line, key=key).status_code for line in MAY}
    # Who has no key has nothing to sign in with.
    assert statuses.pop("POST /session") == (401 if key is None else 200)
    assert set(statuses.values()) <= {200, 201, 202, 204, 403, 404}
    return {line for line, status in statuses.items() if status == 403}


@pytest.mark.parametrize("role", sorted(ALL))
def test_a_key_may_do_exactly_what_the_table_says(api, role):
    assert refused(api, api.keys[role]) == {line for line, roles in MAY.items() if role not in roles}


def test_without_a_key_a_caller_of_this_machine_is_an_agent(api):
    assert refused(api, None) == {line for line, roles in MAY.items() if "agent" not in roles}


def test_with_the_token_a_caller_of_this_machine_is_a_reviewer(api):
    assert refused(api, api.TOKEN) == {line for line, roles in MAY.items() if "reviewer" not in roles}


def test_unknown_wrong_revoked_and_malformed_keys_are_refused_alike(api):
    revoked = api.key("admin")
    api.send("DELETE", f"/keys/{revoked.split('_')[1]}", key=api.keys["admin"])
    wrong = f"{api.keys['admin'][:-1]}{'0' if api.keys['admin'][-1] != '0' else '1'}"
    unknown = f"msv_00000000_{'0' * 52}"
    texts = (revoked, wrong, unknown, "nonsense", "msv_local_wrong")
    answers = {told(ask(api, line, key=key)) for line in MAY for key in texts}
    assert len(answers) == 1
    assert ask(api, "GET /stats", key=revoked).status_code == 401
    assert ask(api, "GET /stats", key=revoked).headers["www-authenticate"] == "Bearer"


def test_from_another_machine_nobody_comes_in_without_a_key(open_api):
    api = open_api(peer="192.0.2.7")
    assert {ask(api, line, key=key).status_code for line in MAY for key in (None, api.TOKEN)} == {401}
    assert refused(api, api.keys["admin"]) == set()


def test_a_server_beyond_loopback_knows_keys_only(open_api):
    api = open_api(bound_to_loopback=False)
    assert {ask(api, line, key=key).status_code for line in MAY for key in (None, api.TOKEN)} == {401}
    assert refused(api, api.keys["admin"]) == set()


def test_where_keys_are_required_nobody_counts_as_local(open_api):
    api = open_api(settings=Settings(require_keys=True))
    assert {ask(api, line, key=key).status_code for line in MAY for key in (None, api.TOKEN)} == {401}
    assert refused(api, api.keys["admin"]) == set()
    assert "Without a key" not in ask(api, "GET /stats", key=None).json()["detail"]
    assert api.client.get("/metrics").status_code == 401
    assert api.client.get("/healthz").status_code == 200
    # A page that reaches this machine under another name is kept out as before.
    assert api.send("GET", "/stats", key=api.keys["agent"], headers={"Host": "evil.example"}).status_code == 421
    document = api.client.get("/openapi.json").json()
    assert document["paths"]["/api/v1/memory/query"]["post"]["security"] == [{"key": []}]


def test_what_came_through_a_proxy_is_not_of_this_machine(api):
    for header in PROXY_HEADERS:
        assert ask(api, "GET /stats", key=None, **{header: "127.0.0.1"}).status_code == 401
        assert ask(api, "GET /stats", key=api.TOKEN, **{header: "127.0.0.1"}).status_code == 401
        assert ask(api, "GET /stats", key=api.keys["agent"], **{header: "127.0.0.1"}).status_code == 200


def test_a_key_is_sent_as_a_bearer_and_no_other_way(api):
    for authorization in ("", "Bearer", "Bearer ", "Basic YTpi", "{key}", "Token {key}", "Bearer {key} x", "Bearer é"):
        headers = {"Authorization": authorization.format(key=api.keys["admin"]).encode("latin-1")}
        answer = api.send("GET", "/stats", params={"project_id": "apollo"}, headers=headers)
        assert answer.status_code == 401, authorization


def test_two_keys_at_once_are_none(api):
    headers = [("Authorization", f"Bearer {api.keys[role]}") for role in ("admin", "agent")]
    assert api.client.get("/api/v1/projects", headers=headers).status_code == 401


def test_a_key_of_one_project_cannot_tell_whether_another_exists(api):
    api.record(project="hermes")
    for line in MAY.keys() - PROJECTLESS:
        for role in MAY[line] - {"admin"}:
            existing = ask(api, line, key=api.keys[role], project="hermes")
            missing = ask(api, line, key=api.keys[role], project="nobody")
            assert existing.status_code == 403
            assert told(existing).replace("hermes", "nobody") == told(missing)


def test_an_attempt_on_another_project_stands_in_the_audit_log_of_the_own(api):
    for line in MAY.keys() - PROJECTLESS:
        for role in MAY[line] - {"admin"}:
            ask(api, line, key=api.keys[role], project="hermes")
            [*_, last] = api.get("/audit", key=api.keys["auditor"], limit=1000).json()["items"]
            attempt = (last["actor"], last["action"], last["subject"], last["project_id"])
            assert attempt == (f"the-{role}", "foreign project refused", "hermes", "apollo")
            # Only what is not there can be told from its own line.
            ask(api, "GET /stats", key=api.keys["agent"], project="other")
    assert api.get("/audit", key=api.keys["admin"], project_id="hermes").json()["items"] == []
    assert api.get("/audit/verification", key=api.keys["auditor"]).json()["whole"]


def test_an_attempt_on_another_project_is_noted_of_those_too_who_have_no_right_to_the_route(api):
    api.record(project="hermes")
    for line in MAY.keys() - {"GET /projects", "DELETE /keys/{id}"}:
        for role in ALL - MAY[line]:
            foreign = ask(api, line, key=api.keys[role], project="hermes")
            own = ask(api, line, key=api.keys[role], project="apollo")
            assert foreign.status_code == 403
            assert told(foreign) == told(own)
            [*_, last] = api.get("/audit", key=api.keys["auditor"], limit=1000).json()["items"]
            attempt = (last["actor"], last["action"], last["subject"], last["project_id"])
            assert attempt == (f"the-{role}", "foreign project refused", "hermes", "apollo")
            ask(api, "GET /stats", key=api.keys["agent"], project="other")
    assert api.get("/audit", key=api.keys["admin"], project_id="hermes").json()["items"] == []


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"null", b'{"project_id": 5}', b'{"project_id": "../a"}', b'{"project_id": "apollo"}', b""]
)
def test_who_has_no_right_is_told_so_whatever_they_sent(api, body):
    before = api.get("/audit", key=api.keys["auditor"]).json()["items"]
    answer = api.send("POST", "/memory/promote", key=api.keys["agent"], content=body)
    assert answer.status_code == 403
    assert api.get("/audit", key=api.keys["auditor"]).json()["items"] == before


def test_a_group_or_a_repeated_name_hides_no_attempt(api):
    for query in ("group_id=hermes", "project_id=apollo&project_id=hermes", "project_id=apollo&group_id=hermes"):
        assert api.send("GET", f"/audit?{query}", key=api.keys["agent"]).status_code == 403
    sent = {"id": "x", "project_id": "apollo", "group_id": "hermes"}
    assert api.post("/memory/promote", sent, key=api.keys["agent"]).status_code == 403
    lines = api.get("/audit", key=api.keys["auditor"]).json()["items"]
    assert [line["subject"] for line in lines if line["action"] == "foreign project refused"] == ["hermes"] * 4


def test_who_may_not_is_told_what_to_do_next(api):
    without = ask(api, "POST /memory/promote", key=None).json()["detail"]
    assert "A person sends a reviewer's key, or the reviewer's token" in without
    assert "the reviewer's token" in ask(api, "GET /audit", key=None).json()["detail"]
    for key in (None, api.TOKEN):
        assert "`memsieve keys make --name NAME --role admin`" in ask(api, "GET /keys", key=key).json()["detail"]
    agent = ask(api, "POST /memory/promote", key=api.keys["agent"]).json()["detail"]
    assert "a key of role reviewer or admin, and 'the-agent' calls as agent" in agent
    assert "`memsieve keys make --name NAME --role reviewer --project apollo`" in agent
    assert "--role auditor" in ask(api, "GET /audit", key=api.keys["agent"]).json()["detail"]
    assert "--role agent" in ask(api, "POST /memory/quarantine", key=api.keys["auditor"]).json()["detail"]


def test_a_token_is_not_named_where_there_is_none(open_api):
    api = open_api(token=None)
    detail = ask(api, "POST /memory/promote", key=None).json()["detail"]
    assert "reviewer.token" not in detail
    assert "`memsieve keys make --name NAME --role reviewer --project PROJECT`" in detail


def test_an_id_of_another_project_is_as_unknown_as_one_of_none(api):
    entry = api.record(project="hermes")["entry_id"]
    memory = api.post("/memory/ingest", {"project_id": "hermes", "content": "We ship."}, key=api.keys["admin"]).json()
    unknown = "00000000-0000-4000-8000-000000000000"
    for line in (line for line in MAY if "{id}" in line or "ID" in BODIES.get(line.split()[1], {}).values()):
        for role in MAY[line] - {"admin"}:
            for some_id in (entry, memory["id"]):
                there = ask(api, line, key=api.keys[role], project=None, some_id=some_id)
                missing = ask(api, line, key=api.keys[role], project=None, some_id=unknown)
                assert there.status_code == 404
                assert told(there).replace(some_id, unknown) == told(missing)
    assert api.get(f"/memory/entries/{entry}", key=api.keys["admin"], project_id="hermes").json()["review"] is None
    assert len(api.get("/memory/longterm", key=api.keys["admin"], project_id="hermes").json()["items"]) == 1


def test_group_id_is_another_name_and_walls_hold_for_it_too(api):
    assert api.get("/stats", key=api.keys["agent"], group_id="apollo").json()["project_id"] == "apollo"
    assert api.get("/stats", key=api.keys["agent"], group_id="hermes").status_code == 403
    assert api.get("/stats", key=api.keys["agent"], project_id="apollo", group_id="hermes").status_code == 403
    both = api.get("/stats", key=api.keys["admin"], project_id="apollo", group_id="hermes")
    assert (both.status_code, both.json()["field"]) == (422, "group_id")
    same = api.get("/stats", key=api.keys["admin"], project_id="apollo", group_id="apollo")
    assert same.status_code == 200


@pytest.mark.parametrize("who", ["admin", "token", None])
def test_who_reaches_all_projects_names_one(api, who):
    key = {"admin": api.keys["admin"], "token": api.TOKEN, None: None}[who]
    answer = api.get("/stats", key=key)
    assert (answer.status_code, answer.json()["field"]) == (422, "project_id")
    assert "project_id" in answer.json()["detail"]
    assert api.get("/stats", key=key, project_id="hermes").json()["project_id"] == "hermes"


def test_a_key_sees_its_own_project_alone_in_the_list(api):
    api.record(project="hermes")
    api.record(project="apollo")
    assert api.get("/projects", key=api.keys["agent"]).json()["items"] == [{"project_id": "apollo"}]
    names = [item["project_id"] for item in api.get("/projects", key=api.keys["admin"]).json()["items"]]
    assert {"apollo", "hermes"} <= set(names)


def test_a_deed_is_done_in_the_name_of_the_key(api):
    memory = api.post("/memory/ingest", {"content": "We ship on Fridays."}, key=api.keys["reviewer"]).json()
    assert memory["promoted_by"] == "the-reviewer"
    by_token = {"project_id": "apollo", "content": "We ship on Mondays."}
    assert api.post("/memory/ingest", by_token, key=api.TOKEN).json()["promoted_by"] == "ada"
    forged = api.post("/memory/ingest", {"content": "We ship.", "by": "eve"}, key=api.keys["reviewer"])
    assert (forged.status_code, forged.json()["field"]) == (422, "by")


def test_a_revoked_key_ends_with_the_next_request(api):
    key = api.key("agent")
    assert api.get("/stats", key=key).status_code == 200
    assert api.send("DELETE", f"/keys/{key.split('_')[1]}", key=api.keys["admin"]).status_code == 200
    assert api.get("/stats", key=key).status_code == 401


def test_what_an_agent_is_told_of_an_entry_holds_nothing_of_what_it_says(api):
    recorded = api.record("The passphrase of the vault is correct horse battery staple, said the CFO yesterday.")
    answer = api.get(f"/memory/entries/{recorded['entry_id']}/admission", key=api.keys["agent"])
    assert answer.json()["decision"] == recorded["decision"]
    assert not re.search("passphrase|vault|staple", answer.text)


def test_no_secret_is_ever_listed(api):
    listed = api.get("/keys", key=api.keys["admin"])
    assert len(listed.json()["items"]) == 4
    assert not any(key.split("_")[2] in listed.text for key in api.keys.values())


@pytest.mark.parametrize("by", ["the-agent", "the%20agent", "%FF", "ada, bob", ""])
def test_a_name_that_is_not_the_keys_is_refused_wherever_something_is_done(api, by):
    for line in ("POST /memory/ingest", "GET /audit", "POST /memory/quarantine", "GET /stats", "DELETE /keys/{id}"):
        answer = ask(api, line, key=api.keys["admin"], **{"X-Memsieve-By": by})
        assert answer.status_code == 403, line
        assert "in the name of" in answer.json()["detail"]
    assert api.get("/memory/longterm", key=api.keys["reviewer"]).json()["items"] == []


def test_the_name_of_the_key_is_let_in_with_or_without_being_said(api):
    name = api.get("/session", key=api.keys["reviewer"]).json()["name"]
    given = "".join(f"%{byte:02x}" for byte in name.encode())
    for headers in ({"X-Memsieve-By": given}, {"X-Memsieve-By": name}, {}):
        assert api.send("GET", "/audit", key=api.keys["reviewer"], headers=headers).status_code == 200


def test_the_header_with_a_name_stands_in_the_document():
    assert "`X-Memsieve-By`" in create_app(Settings()).openapi()["info"]["description"]
