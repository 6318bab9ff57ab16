"""Signing in to the console: a cookie and a half stand for the key, for pages of the server's own origin alone."""

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from memsieve.api.credentials import split_key
from memsieve.config import Settings
from memsieve.testing.server import wait_until

OWN = {"Sec-Fetch-Site": "same-origin"}
NAME = "memsieve_key_8080"
SAID = {"project_id": "apollo", "session_id": "s1", "content": "The console moves to the new host on Friday."}


def sign_in(api, key: str, **headers: str):
    return api.send("POST", "/session", key=key, headers={**OWN, **headers})


def with_cookie(api, method: str, path: str, key: str, *, name: str = NAME, **request):
    text, half = split_key(key)
    headers = {"Cookie": f"{name}={text}", "X-Memsieve-Half": half, **request.pop("headers", OWN)}
    return api.send(method, path, headers=headers, **request)


def cookie_of(answer) -> tuple[str, str, str]:
    """Return the name of the cookie that an answer sets, what it holds, and its attributes."""
    pair, _, attributes = answer.headers["set-cookie"].partition("; ")
    name, _, text = pair.partition("=")
    return name, text, attributes


def read(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_key_is_split_into_a_half_and_a_cookie_that_no_script_reads_and_no_other_site_sends(api):
    key = api.keys["reviewer"]
    answer = sign_in(api, key)
    name, text, attributes = cookie_of(answer)
    assert (answer.status_code, list(answer.json())) == (200, ["half"])
    assert (name, attributes) == (NAME, "Path=/api/v1; HttpOnly; SameSite=Strict")
    assert answer.headers["cache-control"] == "no-store"
    halves = read(text), read(answer.json()["half"])
    assert bytes(one ^ other for one, other in zip(*halves, strict=True)) == key.encode()
    assert not {key.encode(), b"msv_"} & {part for half in halves for part in (half, half[:4])}


def test_what_signing_in_gives_signs_in(api):
    answer = sign_in(api, api.keys["reviewer"])
    name, text, _ = cookie_of(answer)
    headers = {**OWN, "Cookie": f"{name}={text}", "X-Memsieve-Half": answer.json()["half"]}
    assert api.send("GET", "/session", headers=headers).json()["name"] == "the-reviewer"


def test_each_time_the_halves_are_others(api):
    first, second = (sign_in(api, api.keys["reviewer"]) for _ in range(2))
    assert first.json()["half"] != second.json()["half"]
    assert cookie_of(first)[1] != cookie_of(second)[1]
    headers = {**OWN, "Cookie": f"{NAME}={cookie_of(first)[1]}", "X-Memsieve-Half": second.json()["half"]}
    assert api.send("GET", "/session", headers=headers).status_code == 401


def test_the_cookie_alone_is_refused_and_removed(api):
    """Browsers send it to every port of the host: whoever listens there has it, and nothing by it."""
    text, _ = split_key(api.keys["reviewer"])
    answer = api.send("GET", "/session", headers={**OWN, "Cookie": f"{NAME}={text}"})
    assert answer.status_code == 401
    assert answer.headers["set-cookie"].startswith(f"{NAME}=; Max-Age=0; Path=/api/v1;")


def test_the_half_alone_is_refused(api):
    _, half = split_key(api.keys["reviewer"])
    answer = api.send("GET", "/session", headers={**OWN, "X-Memsieve-Half": half})
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


def test_a_key_in_clear_is_neither_half(api):
    key = api.keys["reviewer"]
    text, half = split_key(key)
    nothing = "A" * len(half)  # zeros, which change nothing
    for cookie, header in ((key, half), (text, key), (key, ""), (key, nothing), (key, key)):
        headers = {**OWN, "Cookie": f"{NAME}={cookie}", "X-Memsieve-Half": header}
        assert api.send("GET", "/session", headers=headers).status_code == 401


@pytest.mark.parametrize("half", ["", "é", "%00", "====", "{half}A", "{half}, {half}", "A{half}", "x" * 5000])
def test_halves_that_do_not_join_are_refused_and_the_cookie_is_removed(api, half):
    text, other = split_key(api.keys["reviewer"])
    sent = half.format(half=other).encode("latin-1")
    answer = api.send("GET", "/session", headers={**OWN, "Cookie": f"{NAME}={text}", "X-Memsieve-Half": sent})
    assert (answer.status_code, f"{NAME}=; Max-Age=0;" in answer.headers["set-cookie"]) == (401, True)


def test_two_halves_at_once_are_none(api):
    text, half = split_key(api.keys["reviewer"])
    headers = [("Host", "localhost:8080"), *OWN.items(), ("Cookie", f"{NAME}={text}")]
    halves = [("X-Memsieve-Half", half)] * 2
    assert api.client.get("/api/v1/session", headers=[*headers, *halves]).status_code == 401
    assert api.client.get("/api/v1/session", headers=[*headers, halves[0]]).status_code == 200


def test_over_https_the_cookie_is_sent_over_https_alone(open_api):
    api = open_api(settings=Settings(allowed_origins=("https://localhost:8080",)))
    assert "Secure" not in sign_in(api, api.TOKEN, Origin="http://localhost:8080").headers["set-cookie"]
    # A proxy speaks https with the browser, and http with the server.
    behind = sign_in(api, api.keys["agent"], Origin="https://localhost:8080")
    assert behind.headers["set-cookie"].endswith("; SameSite=Strict; Secure")


def test_two_servers_on_one_machine_do_not_take_each_other_s_cookie(api):
    key = api.keys["reviewer"]
    for host, name in (("localhost", "memsieve_key"), ("[::1]:9000", "memsieve_key_9000"), ("[::1]", "memsieve_key")):
        assert cookie_of(sign_in(api, key, Host=host))[0] == name
    assert api.send("GET", "/session", headers={**OWN, "Cookie": "memsieve_key_9000=x"}).json()["keyless"]
    assert with_cookie(api, "GET", "/session", key, name="memsieve_key_9000").status_code == 401


@pytest.mark.parametrize("key", ["msv_00000000_" + "0" * 52, "msv_local_wrong", "nonsense"])
def test_who_signs_in_with_no_key_gets_no_cookie(api, key):
    answer = sign_in(api, key)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


def test_a_cookie_cannot_be_made_out_of_a_cookie_or_out_of_nothing(api):
    text, half = split_key(api.keys["reviewer"])
    for halves in ({}, {"Cookie": f"{NAME}={text}", "X-Memsieve-Half": half}):
        answer = api.send("POST", "/session", headers={**OWN, **halves})
        assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "Authorization: Bearer" in answer.json()["detail"]


@pytest.mark.parametrize("role", ["agent", "reviewer", "auditor", "admin"])
def test_the_cookie_may_what_its_key_may(api, role):
    told = with_cookie(api, "GET", "/session", api.keys[role]).json()
    rights = {
        "agent": ["record", "query"],
        "reviewer": ["record", "query", "audit", "review"],
        "auditor": ["query", "audit"],
        "admin": ["record", "query", "audit", "review", "keys"],
    }
    project = None if role == "admin" else "apollo"
    assert told == {
        "name": f"the-{role}", "role": role, "project_id": project, "rights": rights[role], "keyless": False
    }  # fmt: skip
    statuses = {
        "query": with_cookie(api, "GET", "/stats", api.keys[role], params={"project_id": "apollo"}).status_code,
        "audit": with_cookie(api, "GET", "/audit", api.keys[role], params={"project_id": "apollo"}).status_code,
        "record": with_cookie(api, "POST", "/memory/quarantine", api.keys[role], json=SAID).status_code,
        "keys": with_cookie(api, "GET", "/keys", api.keys[role]).status_code,
    }
    assert {right for right, status in statuses.items() if status < 300} == set(rights[role]) - {"review"}
    assert {status for status in statuses.values() if status >= 300} <= {403}


def test_a_deed_with_the_cookie_is_done_in_the_name_of_its_key(api):
    sent = {"project_id": "apollo", "content": "We ship on Fridays."}
    memory = with_cookie(api, "POST", "/memory/ingest", api.keys["reviewer"], json=sent)
    assert (memory.status_code, memory.json()["promoted_by"]) == (201, "the-reviewer")
    token = with_cookie(api, "POST", "/memory/ingest", api.TOKEN, json={**sent, "content": "We ship on Mondays."})
    assert token.json()["promoted_by"] == "ada"


def test_without_a_key_a_caller_of_this_machine_is_told_to_be_an_agent(api):
    told = api.get("/session").json()
    assert told == {
        "name": "local", "role": "agent", "project_id": None, "rights": ["record", "query"], "keyless": True
    }  # fmt: skip
    assert not api.get("/session", key=api.TOKEN).json()["keyless"]


def test_a_key_in_the_head_goes_before_the_cookie(api):
    both = with_cookie(
        api, "GET", "/session", api.keys["admin"], headers={"Authorization": f"Bearer {api.keys['agent']}"}
    )
    assert both.json()["role"] == "agent"
    wrong = with_cookie(api, "GET", "/session", api.keys["admin"], headers={"Authorization": "Bearer nonsense"})
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost:9000"},
        {"Origin": "http://127.0.0.1:8080"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:8080"},
    ],
)
def test_a_page_of_another_origin_or_port_is_refused_on_every_method(api, headers):
    key, sent = api.keys["admin"], {"project_id": "apollo", "content": "We ship on Fridays."}
    asked = {"project_id": "apollo"}
    answers = [
        with_cookie(api, "GET", "/audit", key, headers=headers, params=asked),
        with_cookie(api, "GET", "/events", key, headers=headers, params=asked),
        with_cookie(api, "POST", "/memory/ingest", key, headers=headers, json=sent),
        with_cookie(api, "DELETE", "/memory/entries/x", key, headers=headers, params={**asked, "reason": "wrong"}),
        with_cookie(api, "DELETE", "/session", key, headers=headers),
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert not any("set-cookie" in answer.headers for answer in answers)
    assert api.get("/memory/longterm", key=key, project_id="apollo").json()["items"] == []


def test_a_page_that_may_call_the_server_still_may_not_with_the_cookie(open_api):
    api = open_api(settings=Settings(allowed_origins=("http://localhost:9000",)))
    origin = {"Origin": "http://localhost:9000"}
    assert with_cookie(api, "GET", "/session", api.keys["admin"], headers=origin).status_code == 403
    own_key = {**origin, "Authorization": f"Bearer {api.keys['admin']}"}
    allowed = api.send("GET", "/session", headers=own_key)
    assert (allowed.status_code, "access-control-allow-credentials" in allowed.headers) == (200, False)


def test_what_changes_something_names_its_origin_and_what_reads_need_not(api):
    """Over plain http beyond this machine browsers do not tell the site of a page."""
    key, sent = api.keys["reviewer"], {"project_id": "apollo", "content": "We ship on Fridays."}
    assert with_cookie(api, "POST", "/memory/ingest", key, headers={}, json=sent).status_code == 403
    own = {"Origin": "http://localhost:8080"}
    assert with_cookie(api, "POST", "/memory/ingest", key, headers=own, json=sent).status_code == 201
    assert with_cookie(api, "GET", "/session", key, headers={}).json()["role"] == "reviewer"


def test_a_cookie_whose_key_was_revoked_is_refused_and_removed(api):
    key = api.key("reviewer")
    assert with_cookie(api, "GET", "/session", key).status_code == 200
    api.send("DELETE", f"/keys/{key.split('_')[1]}", key=api.keys["admin"])
    answer = with_cookie(api, "GET", "/session", key)
    assert answer.status_code == 401
    assert answer.headers["set-cookie"].startswith(f"{NAME}=; Max-Age=0; Path=/api/v1;")


def test_two_cookies_at_once_are_none(api):
    text, half = split_key(api.keys["admin"])
    headers = {**OWN, "Cookie": f"{NAME}={text}; {NAME}={text}", "X-Memsieve-Half": half}
    assert api.send("GET", "/session", headers=headers).status_code == 401


@pytest.mark.parametrize("cookie", ["{name}=", "{name}", "{name}=é", "{name}=%00", "{name}=" + "x" * 5000])
def test_a_malformed_cookie_is_no_key_and_no_way_in(api, cookie):
    _, half = split_key(api.keys["reviewer"])
    headers = {**OWN, "Cookie": cookie.format(name=NAME).encode("latin-1"), "X-Memsieve-Half": half}
    assert api.send("GET", "/session", headers=headers).status_code == 401


def test_other_cookies_of_the_machine_are_passed_over(api):
    answer = api.send("GET", "/session", headers={"Cookie": f"theme=dark; x{NAME}=1; session=abc"})
    assert answer.json()["keyless"]


def test_signing_out_removes_the_cookie_and_leaves_the_key(api):
    key = api.keys["reviewer"]
    answer = with_cookie(api, "DELETE", "/session", key)
    assert (answer.status_code, f"{NAME}=; Max-Age=0;" in answer.headers["set-cookie"]) == (204, True)
    assert with_cookie(api, "GET", "/session", key).status_code == 200
    assert "set-cookie" not in api.send("DELETE", "/session").headers


def test_the_token_s_cookie_holds_on_this_machine_alone(open_api):
    far = open_api(peer="192.0.2.7")
    assert with_cookie(far, "GET", "/session", far.TOKEN).status_code == 401
    assert with_cookie(far, "GET", "/session", far.keys["agent"]).status_code == 200


def test_the_stream_of_events_is_heard_with_the_cookie(api):
    api.record()
    text, half = split_key(api.keys["reviewer"])
    halves = {"Cookie": f"{NAME}={text}", "X-Memsieve-Half": half}
    with api.client.stream(
        "GET",
        "/api/v1/events?project_id=apollo",
        headers={**OWN, **halves, "Last-Event-ID": "0" * 16},
    ) as answer:
        assert (answer.status_code, "event: recorded" in "".join(answer.iter_text())) == (200, True)


@pytest.fixture
def started(data: Path, tmp_path: Path):
    """Start servers whose standard output is read; all are ended with the test."""
    processes: list[subprocess.Popen[str]] = []

    def start(*options: str) -> str:
        out = tmp_path / f"out-{len(processes)}"
        command = [sys.executable, "-m", "memsieve", "serve", "--port", "0", "--data", str(data), *options]
        log = tmp_path / f"log-{len(processes)}"
        with out.open("w") as stdout, log.open("w") as stderr:
            processes.append(subprocess.Popen(command, stdout=stdout, stderr=stderr, text=True, env=dict(os.environ)))
        wait_until(lambda: '"address"' in log.read_text() or processes[-1].poll() is not None)
        if not options:
            wait_until(lambda: out.read_text().endswith("\n"))
        token = (data / "reviewer.token").read_text().strip() if (data / "reviewer.token").exists() else "none"
        assert token not in log.read_text()
        return out.read_text()

    yield start
    for process in processes:
        process.terminate()
        process.wait()


def test_the_printed_link_signs_in_to_the_console(started, data):
    printed = started()
    [link] = re.findall(r"http://127\.0\.0\.1:\d+/#token=msv_local_[\w-]{43}", printed)
    address, token = link.split("/#token=")
    assert token == (data / "reviewer.token").read_text().strip()
    with httpx.Client(base_url=f"{address}/api/v1", headers={**OWN, "Origin": address}) as browser:
        signed_in = browser.post("/session", headers={"Authorization": f"Bearer {token}"}).raise_for_status()
        half = {"X-Memsieve-Half": signed_in.json()["half"]}
        told = browser.get("/session", headers=half).json()
        assert (told["role"], told["keyless"]) == ("reviewer", False)
        browser.delete("/session", headers=half).raise_for_status()
        assert browser.get("/session").json()["keyless"]


def test_for_programs_the_link_is_printed_as_json(started):
    document = json.loads(started("--json"))
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=msv_local_[\w-]{43}", document["console"])


def test_where_keys_are_needed_no_link_is_printed(started, monkeypatch):
    monkeypatch.setenv("MEMSIEVE_REQUIRE_KEYS", "true")
    assert started("--workers", "1") == ""
