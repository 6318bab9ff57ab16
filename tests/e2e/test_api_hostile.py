"""What nobody in good faith sends: it is refused with a problem that says why, and the server goes on."""

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import AsyncIterator

import httpx2
import pytest

from memsieve.config import Settings

QUERY = "/api/v1/memory/query"
JSON = {"Content-Type": "application/json"}


def send(api, body: bytes, **headers: str):
    key = {"Authorization": f"Bearer {api.keys['agent']}"}
    return api.client.post(QUERY, content=body, headers={**JSON, **key, **headers})


def assert_problem(answer, *statuses: int) -> dict:
    assert answer.status_code in statuses, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["instance"] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return problem


def streamed(api, pieces: AsyncIterator[bytes], **headers: str):
    """Send a body in pieces, without saying how long it will be."""

    async def post():
        transport = httpx2.ASGITransport(api.client.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post(QUERY, content=pieces, headers={**JSON, **headers})

    return api.client.portal.call(post)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"query": "\xff"}',
        b'{"query": "a"} {"query": "b"}',
        b"{'query': 'a'}",
        b'{"query": "a",}',
        b"\xef\xbb\xbf{}",
        b'{"query": "a\x00b"}',
        b'{"query": "a\\u0000b"}',
        b'{"query": "\\ud800"}',
        b'{"query": "   "}',
        b'{"query": 5}',
        b'{"query": null}',
        b'{"query": ["a"]}',
        b'{"query": "a", "query": "b"}',
        b'{"query": "a", "unknown": 1}',
        b'{"query": "a", "max_results": NaN}',
        b'{"query": "a", "max_results": Infinity}',
        b'{"query": "a", "relevance_threshold": -Infinity}',
        b'{"query": "a", "max_results": 1e400}',
        b'{"query": "a", "max_results": 1%s}' % (b"0" * 400),
        b'{"query": "a", "max_results": 1%s}' % (b"0" * 10_000),
        b'{"query": "a", "max_results": true}',
        b'{"query": "a", "max_results": "5"}',
        b'{"query": "a", "max_results": 5.5}',
        b'{"query": "a", "relevance_threshold": true}',
        b'{"query": "a", "project_id": "../../etc/passwd"}',
        b'{"query": "a", "project_id": " apollo"}',
        b'{"query": "a", "project_id": "apollo\\u200b"}',
        b'{"query": "a", "session_id": "a\\nb"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 500 + b"]" * 500,
        b'{"query": ' + b"[" * 65 + b"]" * 65 + b"}",
    ],
    ids=lambda body: repr(body[:40]),
)
def test_a_body_that_is_not_what_it_should_be_is_refused(api, body):
    problem = assert_problem(send(api, body), 400, 422)
    assert len(problem["detail"]) < 500
    assert api.get("/stats", key=api.keys["agent"]).status_code == 200


def test_what_is_wrong_with_a_new_key_is_told_by_the_name_of_its_field(api):
    whole = {"name": "crawler", "role": "agent", "project_id": "apollo"}
    for wrong in ({"name": " x"}, {"project_id": "a b"}, {"role": "boss"}, {"unknown": 1}):
        answer = api.post("/keys", {**whole, **wrong}, key=api.keys["admin"])
        assert {assert_problem(answer, 422)["field"]} == wrong.keys()
    assert assert_problem(api.post("/keys", {"name": "x"}, key=api.keys["admin"]), 422)["field"] == "role"
    answer = api.get("/stats", key=api.keys["admin"], project_id="a b")
    assert assert_problem(answer, 422)["field"] == "project_id"


def test_metadata_is_refused_where_it_cannot_be_kept(api):
    body = '{"session_id": "s1", "content": "text", "metadata": %s}'
    key = {"Authorization": f"Bearer {api.keys['agent']}"}
    deep = '{"a":' * 70 + "1" + "}" * 70
    for metadata in ('{"a": "\\u0000"}', '{"a": "\\ud800"}', '{"a": 1e400}', "[]", '"text"', deep):
        sent = (body % metadata).encode()
        answer = api.client.post("/api/v1/memory/quarantine", content=sent, headers={**JSON, **key})
        assert_problem(answer, 400, 422)
    assert api.get("/stats", key=api.keys["agent"]).json()["recorded"] == 0


def test_a_body_of_ten_megabytes_is_refused_before_it_is_read(api):
    body = b'{"query": "' + b"a" * 10_000_000 + b'"}'
    assert "1048576" in assert_problem(send(api, body), 413)["detail"]
    assert_problem(send(api, b"", **{"Content-Length": "9" * 30}), 413)
    assert_problem(send(api, b"", **{"Content-Length": "-5"}), 400)


def test_a_body_of_unknown_length_is_cut_off_at_the_limit(api):
    taken = 0

    async def pieces():
        nonlocal taken
        for _ in range(1000):
            taken += 1
            yield b"a" * 65536

    tracemalloc.start()
    try:
        assert_problem(streamed(api, pieces()), 413)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken <= 18
    assert peak < 8 * 2**20


def test_whoever_goes_away_in_the_midst_of_a_body_is_no_fault_of_the_server(api, caplog):
    pieces = iter([{"type": "http.request", "body": b'{"query": ', "more_body": True}, {"type": "http.disconnect"}])
    sent: list[dict[str, object]] = []
    scope = {
        "type": "http",
        "method": "POST",
        "path": QUERY,
        "query_string": b"",
        "scheme": "http",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 50000),
    }

    async def receive():
        return next(pieces)

    async def send(message):
        sent.append(message)

    api.client.portal.call(api.client.app, scope, receive, send)
    assert sent[0]["status"] == 400
    assert "failed" not in caplog.text


def test_a_body_that_drips_ends_in_time(open_api):
    api = open_api(read_seconds=0.2)

    async def pieces():
        for _ in range(100):
            yield b" "
            await asyncio.sleep(0.05)

    assert_problem(streamed(api, pieces()), 408)


def test_a_body_is_not_read_of_whoever_has_no_key(open_api):
    api = open_api(bound_to_loopback=False)
    assert_problem(api.client.post(QUERY, content=b"not json", headers=JSON), 401)
    assert_problem(api.client.post(QUERY, content=b"x", headers={"Content-Type": "text/plain"}), 401)


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json", "application/xml", "x"],
)
def test_only_json_is_read(api, kind):
    assert_problem(send(api, b'{"query": "a"}', **{"Content-Type": kind}), 415)


def test_a_media_type_may_name_its_characters(api):
    assert send(api, b'{"query": "a"}', **{"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, gzip", "zstd"])
def test_a_compressed_body_is_refused_unopened(api, coding):
    bomb = gzip.compress(b'{"query": "' + b"a" * 5_000_000 + b'"}')
    assert_problem(send(api, bomb, **{"Content-Encoding": coding}), 415)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "localhost:99999x", "localhost@evil", "[::2]"],
)
def test_a_server_of_this_machine_answers_to_its_own_names_alone(api, host):
    assert_problem(api.client.get("/api/v1/projects", headers={"Host": host}), 421)
    assert_problem(api.client.get("/healthz", headers={"Host": host}), 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]", "[::1]:8080"])
def test_each_name_of_this_machine_will_do(api, host):
    assert api.client.get("/api/v1/projects", headers={"Host": host}).status_code == 200


def test_other_names_are_allowed_by_setting(open_api):
    api = open_api(settings=Settings(allowed_hosts=frozenset({"Memory.example.org"})))
    assert api.client.get("/api/v1/projects", headers={"Host": "memory.example.org:8443"}).status_code == 200
    assert_problem(api.client.get("/api/v1/projects", headers={"Host": "evil.example"}), 421)


def test_beyond_loopback_any_name_will_do_unless_some_are_named(open_api):
    everywhere = {"Host": "10.0.0.7:8080"}
    api = open_api(bound_to_loopback=False)
    key = {"Authorization": f"Bearer {api.keys['agent']}"}
    assert api.client.get("/api/v1/projects", headers={**everywhere, **key}).status_code == 200


ORIGINS = [
    "http://evil.example",
    "null",
    "http://localhost:9999",
    "https://localhost:8080",
    "http://localhost",
    "file://",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_another_origin_may_not_call(api, origin):
    before = api.get("/stats", key=api.keys["agent"]).json()["recorded"]
    body = {"project_id": "apollo", "session_id": "s1", "content": "What a page says."}
    answer = api.client.post("/api/v1/memory/quarantine", json=body, headers={"Origin": origin})
    assert_problem(answer, 403)
    assert "access-control-allow-origin" not in answer.headers
    assert api.get("/stats", key=api.keys["agent"]).json()["recorded"] == before
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    preflight = api.client.options(QUERY, headers=asked)
    assert_problem(preflight, 403)
    assert not [name for name in preflight.headers if name.startswith("access-control")]


def test_a_page_that_hides_its_origin_may_not_call_either(api):
    for site in ("cross-site", "same-site"):
        for path in ("/api/v1/projects", "/api/v1/events?project_id=apollo"):
            assert_problem(api.client.get(path, headers={"Sec-Fetch-Site": site}), 403)
    assert api.client.get("/api/v1/projects", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert api.client.get("/api/v1/projects", headers={"Sec-Fetch-Site": "none"}).status_code == 200


def test_the_server_s_own_pages_may_call(api):
    assert api.client.get("/api/v1/projects", headers={"Origin": "http://localhost:8080"}).status_code == 200


def test_an_origin_that_is_allowed_is_named_and_no_other(open_api):
    console = "https://console.example.org"
    api = open_api(settings=Settings(allowed_origins=frozenset({console})))
    asked = {"Origin": console, "Access-Control-Request-Method": "POST"}
    preflight = api.client.options(QUERY, headers=asked)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, console)
    assert "Authorization" in preflight.headers["access-control-allow-headers"]
    answer = api.client.get("/api/v1/projects", headers={"Origin": console, "Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, console)
    assert answer.headers["vary"] == "Origin"
    assert "access-control-allow-credentials" not in answer.headers
    assert_problem(api.client.get("/api/v1/projects", headers={"Origin": "https://console.example.org.evil"}), 403)


@pytest.mark.parametrize("given", ["a b", "a\tb", "<script>", "x" * 65, "", "a;b", "é", 'a"b', "a,b"])
def test_an_id_of_a_request_that_is_not_plain_is_replaced(api, given):
    answer = api.client.get("/healthz", headers={"X-Request-ID": given.encode()})
    assert answer.headers["x-request-id"] != given
    assert answer.headers["x-request-id"].isalnum()


def test_a_plain_id_of_a_request_is_kept(api):
    answer = api.client.get("/nothing", headers={"X-Request-ID": "trace-7.a_B"})
    assert (answer.headers["x-request-id"], answer.json()["instance"]) == ("trace-7.a_B", "trace-7.a_B")


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 129, "a\tb", "\x7f"])
def test_an_idempotency_key_with_odd_characters_is_refused(api, key):
    body = {"project_id": "apollo", "session_id": "s1", "content": "text"}
    headers = {"Idempotency-Key": key.encode("latin-1")}
    answer = api.client.post("/api/v1/memory/quarantine", json=body, headers=headers)
    assert assert_problem(answer, 422)["field"] == "idempotency-key"


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=1001",
        "limit=-1",
        "limit=1e2",
        "limit=٣",
        "limit=1&limit=2",
        "limit=",
        "nothing=1",
        "limit=%00",
    ],
)
def test_a_query_that_is_not_what_it_should_be_is_refused(api, query):
    answer = api.client.get(f"/api/v1/projects?{query}")
    assert assert_problem(answer, 422)["field"] in {"limit", "nothing"}


@pytest.mark.parametrize("some_id", ["%00", "%0a", "a%E2%80%8Bb", "%20a", "x" * 129, "%FF%FE", "%ED%A0%80"])
def test_an_id_that_nothing_can_have_is_refused(api, some_id):
    answer = api.client.get(
        f"/api/v1/memory/entries/{some_id}",
        headers={"Authorization": f"Bearer {api.TOKEN}"},
        params={"project_id": "apollo"},
    )
    assert_problem(answer, 404, 422)


def test_an_address_that_is_not_there_is_a_problem_too(api):
    assert_problem(api.client.get("/api/v1/nothing"), 404)
    assert_problem(api.client.get("/api/v1/memory/entries/a%2Fb%2Fc"), 404)
    assert_problem(api.client.get("//api/v1/projects"), 404)
    assert_problem(api.client.get("/api/v1/projects/"), 404)


def test_a_method_that_an_address_does_not_take_is_told_those_it_does(api):
    answer = api.client.put("/api/v1/memory/quarantine")
    assert_problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"
    assert api.client.request("TRACE", "/api/v1/keys/a").headers["allow"] == "DELETE"
    assert api.client.request("FROB", "/api/v1/projects").status_code == 405


def test_a_text_that_is_too_large_to_keep_is_refused_with_its_field(api):
    body = {"project_id": "apollo", "session_id": "s1", "content": "a" * 65_537}
    answer = api.client.post("/api/v1/memory/quarantine", content=json.dumps(body), headers=JSON)
    assert assert_problem(answer, 422)["field"] == "content"


def test_no_answer_is_kept_or_guessed_at_by_browsers(api):
    answer = api.client.get("/api/v1/projects")
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")
