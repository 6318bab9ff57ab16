"""Large answers travel compressed, to those who take them so, and never beside a secret."""

import gzip

import pytest

GZIP = {"Accept-Encoding": "gzip, deflate"}


@pytest.fixture
def large(api) -> str:
    """Fill a list, and return its address."""
    for number in range(5):
        api.record(f"Number {number}: the ledger of the team runs on PostgreSQL, for it needs real transactions.")
    return "/memory/quarantine"


def ask(api, path: str, encoding: str, **options):
    return api.send("GET", path, key=api.keys["reviewer"], headers={"Accept-Encoding": encoding}, **options)


def test_a_large_list_is_compressed_for_whoever_takes_it_so(api, large):
    plain, packed = ask(api, large, "identity"), ask(api, large, "gzip, deflate, br")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3
    assert packed.json() == plain.json()


def test_what_depends_on_the_encoding_says_so(api, large):
    for encoding in ("identity", "gzip"):
        answer = ask(api, large, encoding)
        assert {name.strip() for name in answer.headers["vary"].split(",")} == {"Origin", "Accept-Encoding"}
        # Nothing keeps an answer, so none has a mark by which it is known again.
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers


@pytest.mark.parametrize("encoding", ["gzip;q=0", "gzip; q=0.0, identity", "deflate, gzip;q=0", "br", ""])
def test_whoever_does_not_take_it_gets_the_answer_as_it_is(api, large, encoding):
    assert "content-encoding" not in ask(api, large, encoding).headers


def test_a_small_answer_is_sent_as_it_is(api):
    assert "content-encoding" not in ask(api, "/projects", "gzip").headers


def test_a_problem_is_told_to_whoever_takes_compressed_answers(api):
    answer = ask(api, "/memory/entries/unknown", "gzip")
    assert (answer.status_code, answer.json()["status"]) == (404, 404)


def test_events_are_never_compressed(api):
    answer = ask(api, "/events", "gzip")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in answer.headers


def test_a_new_key_is_never_compressed_together_with_what_a_caller_wrote(api):
    body = {"name": "\U0001f511" * 128, "role": "agent", "project_id": "\U00020000" * 128}
    answer = api.send("POST", "/keys", key=api.keys["admin"], json=body, headers=GZIP)
    assert answer.status_code == 201
    assert len(answer.content) > 1024
    assert "content-encoding" not in answer.headers
    listed = api.send("GET", "/keys", key=api.keys["admin"], headers=GZIP)
    assert listed.headers["content-encoding"] == "gzip"


def test_a_compressed_answer_is_whole(api, large):
    with api.client.stream(
        "GET", f"/api/v1{large}", headers={**GZIP, "Authorization": f"Bearer {api.keys['reviewer']}"}
    ) as answer:
        sent = b"".join(answer.iter_raw())
    assert gzip.decompress(sent) == ask(api, large, "identity").content
