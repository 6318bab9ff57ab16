import asyncio
import math

import numpy as np
import pytest

from memsieve.errors import ConfigError, EmbedderError
from memsieve.models.embedders import BATCH_SIZE, REMOTE_CHARACTERS, OpenAIEmbedder
from memsieve.models.openai_api import OpenAIEndpoint
from memsieve.testing import OpenAIServer, Reply

KEY = "sk-secret-0123456789"


@pytest.fixture
def server():
    with OpenAIServer() as server:
        yield server


def embed(server, *texts, timeout=5.0):
    async def ask():
        endpoint = OpenAIEndpoint(server.base_url, KEY, timeout)
        try:
            embedder = OpenAIEmbedder(endpoint, "embed-1")
            return embedder, await embedder.embed(texts)
        finally:
            await endpoint.aclose()

    return asyncio.run(ask())


def data(*items):
    return Reply.json({"data": [{"index": index, "embedding": vector} for index, vector in items]})


def test_vectors_have_length_one_and_dimensions_are_learned_from_the_first(server):
    embedder, (vector,) = embed(server, "The server is down.")
    assert embedder.name == "embed-1"
    assert embedder.dimensions == len(vector) == 32
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
    assert len(server.requests) == 1


def test_the_key_goes_in_the_header(server):
    embed(server, "text")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].payload["model"] == "embed-1"


def test_every_script_is_read_and_only_blank_text_is_not(server):
    _, vectors = embed(server, "服务器坏了", "", "12:30", "  \n", "🎉")
    assert [vector is not None for vector in vectors] == [True, False, True, False, True]


def test_many_texts_go_in_batches_and_come_back_in_order(server):
    texts = [f"text {number}" for number in range(BATCH_SIZE + 3)]
    _, vectors = embed(server, *texts)
    assert [len(request.payload["input"]) for request in server.requests] == [BATCH_SIZE, 3]
    _, (last,) = embed(server, texts[-1])
    assert np.array_equal(vectors[-1], last)


def test_vectors_are_put_in_order_by_their_index(server):
    server.script(data((1, [0.0, 2.0]), (0, [3.0, 0.0])))
    _, vectors = embed(server, "a", "b")
    assert [vector.tolist() for vector in vectors] == [[1.0, 0.0], [0.0, 1.0]]


def test_huge_numbers_are_scaled_to_length_one(server):
    server.script(data((0, [3e300, 4e300])))
    _, (vector,) = embed(server, "a")
    assert vector.tolist() == pytest.approx([0.6, 0.8])


def test_a_text_longer_than_models_accept_is_cut(server):
    embed(server, "word " * 10_000)
    assert len(server.requests[0].payload["input"][0]) == REMOTE_CHARACTERS


@pytest.mark.parametrize(
    "reply",
    [
        data((0, [1.0, 0.0])),
        data((0, [1.0, 0.0]), (0, [1.0, 0.0])),
        data((0, [1.0, 0.0]), (2, [1.0, 0.0])),
        data((0, [1.0, 0.0]), (1, [1.0, 0.0]), (2, [1.0, 0.0])),
        data((0, [1.0, 0.0]), (1, [1.0, 0.0, 0.0])),
        data((0, [1.0, 0.0]), (1, [0.0, 0.0])),
        data((0, [1.0, 0.0]), (1, [math.nan, 1.0])),
        data((0, [1.0, 0.0]), (1, [math.inf, 1.0])),
        data((0, [1.0, 0.0]), (1, ["1.0", "0.0"])),
        data((0, [1.0, 0.0]), (1, [])),
        data((0, [1.0, 0.0]), (1, None)),
        data((0, [1.0, 0.0]), (1, [[1.0], [0.0, 1.0]])),
        Reply.json({"data": [[1.0, 0.0], [0.0, 1.0]]}),
        Reply.json({"data": None}),
        Reply.json({}),
        Reply.json([]),
        Reply(body=b"<html>not JSON</html>"),
        Reply(body=b"[" * 200_000),
    ],
)
def test_an_answer_without_one_good_vector_for_each_text_is_an_error(server, reply):
    server.script(reply)
    with pytest.raises(EmbedderError, match="Check"):
        embed(server, "a", "b")


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_passing_failure_is_tried_again(server, status):
    server.script(Reply(status=status, headers={"Retry-After": "0"}))
    _, (vector,) = embed(server, "text")
    assert vector is not None
    assert len(server.requests) == 2


def test_a_failure_that_stays_is_tried_three_times(server):
    server.script(*[Reply(status=503, headers={"Retry-After": "0"})] * 9)
    with pytest.raises(EmbedderError, match=r"answered 503.*Try again later"):
        embed(server, "text")
    assert len(server.requests) == 3


@pytest.mark.parametrize(("status", "advice"), [(400, "model"), (401, "API key"), (403, "API key"), (404, "base URL")])
def test_a_refusal_is_not_tried_again(server, status, advice):
    server.script(Reply(status=status))
    with pytest.raises(EmbedderError, match=advice):
        embed(server, "text")
    assert len(server.requests) == 1


@pytest.mark.parametrize("wait", ["3600", "Wed, 21 Oct 2399 07:28:00 GMT"])
def test_a_wait_longer_than_the_call_may_take_ends_it_at_once(server, wait):
    server.script(Reply(status=429, headers={"Retry-After": wait}))
    with pytest.raises(EmbedderError, match="answered 429"):
        embed(server, "text")
    assert len(server.requests) == 1


@pytest.mark.parametrize("wait", ["Wed, 21 Oct 2015 07:28:00 GMT", "soon"])
def test_a_wait_that_is_over_or_makes_no_sense_is_tried_again(server, wait):
    server.script(Reply(status=429, headers={"Retry-After": wait}))
    embed(server, "text")
    assert len(server.requests) == 2


def test_a_redirect_is_not_followed_and_takes_the_key_nowhere(server):
    with OpenAIServer() as elsewhere:
        server.script(Reply(status=307, headers={"Location": elsewhere.base_url + "/embeddings"}))
        with pytest.raises(EmbedderError, match="final address"):
            embed(server, "text")
        assert elsewhere.requests == []


def test_an_endless_answer_is_cut_off(server, monkeypatch):
    monkeypatch.setattr("memsieve.models.openai_api.MAX_RESPONSE_BYTES", 1000)
    server.script(Reply(body=b" " * 100_000))
    with pytest.raises(EmbedderError, match="more than 1000 bytes"):
        embed(server, "text")


def test_an_endpoint_that_hangs_is_given_up_at_the_deadline(server):
    server.script(Reply(delay=math.inf))
    with pytest.raises(EmbedderError, match=r"within 0\.2 seconds"):
        embed(server, "text", timeout=0.2)


def test_an_endpoint_that_is_not_there_says_what_to_check(server):
    async def ask(base_url):
        endpoint = OpenAIEndpoint(base_url, KEY, timeout=5)
        try:
            await OpenAIEmbedder(endpoint, "embed-1").embed(["text"])
        finally:
            await endpoint.aclose()

    with OpenAIServer() as gone:
        base_url = gone.base_url
    with pytest.raises(EmbedderError, match="cannot be reached"):
        asyncio.run(ask(base_url))


@pytest.mark.parametrize("status", [400, 401, 500])
def test_the_key_never_appears_in_an_error(server, status):
    server.script(*[Reply(status=status, body=f"bad key {KEY}".encode(), headers={"Retry-After": "0"})] * 3)
    with pytest.raises(EmbedderError) as caught:
        embed(server, "text")
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_the_key_does_not_appear_when_an_endpoint_is_printed():
    assert KEY not in repr(OpenAIEndpoint("http://127.0.0.1:1/v1", KEY))


@pytest.mark.parametrize(
    "base_url", ["", "api.example.com/v1", "ftp://example.com", "http://", "http://[::1", "https://example.com/v1?a=b"]
)
def test_a_base_url_that_is_none_is_refused(base_url):
    with pytest.raises(ConfigError, match="base URL"):
        OpenAIEndpoint(base_url, KEY)


def test_a_password_in_the_base_url_is_refused_and_not_repeated():
    with pytest.raises(ConfigError, match="API key") as caught:
        OpenAIEndpoint("https://user:hunter2@example.com/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-first\nsk-second", "sk-ключ"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(key):
    with pytest.raises(ConfigError, match="API key") as caught:
        OpenAIEndpoint("https://example.com/v1", key)
    assert key not in str(caught.value)
