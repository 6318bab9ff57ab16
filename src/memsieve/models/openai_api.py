"""One OpenAI-compatible endpoint over HTTP: for embeddings, and to ask a chat model one question at a time."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from memsieve.errors import ConfigError, JudgeError
from memsieve.runtime.backoff import Backoff, retry_after

if TYPE_CHECKING:
    import httpx

MAX_RETRIES = 2
FIRST_DELAY, LONGEST_DELAY = 0.25, 0.75
MAX_RESPONSE_BYTES = 16 * 1024 * 1024
MAX_QUOTED = 200


class EndpointError(Exception):
    """The endpoint gave no usable answer; `retryable` says whether a later call may.

    `public` says what happened and not where: what an endpoint answers may name others.
    """

    def __init__(
        self,
        where: str,
        happened: str,
        more: str = "",
        *,
        retryable: bool,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{where} {happened}{more}")
        self.public = f"the endpoint {happened}."
        self.retryable = retryable
        self.retry_after = retry_after


class OpenAIEndpoint:
    """Sends JSON to an endpoint; `timeout` is in seconds and covers one call with all its retries."""

    def __init__(self, base_url: str, api_key: str | None = None, timeout: float = 30.0) -> None:
        self.base_url = _checked_url(base_url)
        self._api_key = _checked_key(api_key)
        self._timeout = timeout
        self._client = _client(self.base_url, self._api_key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def post(self, path: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the JSON object it is answered with; raise EndpointError otherwise."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._post_patiently(path, payload)
        except TimeoutError as exc:
            raise EndpointError(
                self.base_url,
                f"did not answer within {self._timeout:g} seconds",
                ". Try again later, or allow it more time.",
                retryable=True,
            ) from exc

    async def _post_patiently(self, path: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        backoff = Backoff(FIRST_DELAY, LONGEST_DELAY, factor=3.0, patience=self._timeout)
        for _ in range(MAX_RETRIES):
            try:
                return await self._post_once(path, payload)
            except EndpointError as exc:
                delay = backoff.next_delay()
                delay = delay if exc.retry_after is None else exc.retry_after
                # A Retry-After beyond the deadline of the call makes a retry pointless.
                if not exc.retryable or not backoff.permits(delay):
                    raise
            await asyncio.sleep(delay)
        return await self._post_once(path, payload)

    async def _post_once(self, path: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        import httpx

        try:
            async with self._client.stream("POST", self.base_url + path, content=json.dumps(payload)) as response:
                body = await self._read(response)
        except httpx.RequestError as exc:
            raise EndpointError(
                self.base_url,
                f"cannot be reached ({type(exc).__name__})",
                ". Check that it is running and that the base URL is right.",
                retryable=True,
            ) from exc
        if response.status_code != HTTPStatus.OK:
            raise self._refusal(response, body)
        return self._parsed(body)

    async def _read(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_RESPONSE_BYTES:
                raise EndpointError(
                    self.base_url,
                    f"sent more than {MAX_RESPONSE_BYTES} bytes",
                    ". Check that the base URL is right.",
                    retryable=False,
                )
        return bytes(body)

    def _parsed(self, body: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as exc:
            raise self._not_json() from exc
        if not isinstance(answer, dict):
            raise self._not_json()
        return answer

    def _not_json(self) -> EndpointError:
        return EndpointError(
            self.base_url,
            "did not answer with a JSON object",
            ". Check that the base URL is that of an OpenAI-compatible API; it often ends in /v1.",
            retryable=False,
        )

    def _refusal(self, response: httpx.Response, body: bytes) -> EndpointError:
        status = response.status_code
        retryable = status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return EndpointError(
            self.base_url,
            f"answered {status}",
            f"{self._quoted(status, body)}. {_advice(status)}",
            retryable=retryable,
            retry_after=retry_after(response.headers.get("Retry-After")),
        )

    def _quoted(self, status: int, body: bytes) -> str:
        # Some servers repeat parts of a key that they refuse.
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            return ""
        text = " ".join(body.decode(errors="replace").split())
        if self._api_key:
            text = text.replace(self._api_key, "[key]")
        return f": {text[:MAX_QUOTED]}" if text else ""


def _advice(status: int) -> str:
    """Say what to do about a status."""
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return "Check the API key and what it may use."
    if status == HTTPStatus.NOT_FOUND:
        return "Check the base URL, which often ends in /v1, and the name of the model."
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "Send less, or try again later."
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "Try again later."
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return "It redirects elsewhere: set the base URL to the final address."
    return "Check the name of the model and what it accepts."


def _checked_url(base_url: str) -> str:
    """Return the URL without a slash at its end, or refuse it without repeating a password in it."""
    import httpx

    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL as exc:
        raise _wrong_url() from exc
    if url.userinfo:
        raise ConfigError("The endpoint's base URL holds a user or password. Give the key as the API key instead.")
    if url.scheme not in {"http", "https"} or not url.host or url.query or url.fragment:
        raise _wrong_url()
    return str(url).rstrip("/")


def _wrong_url() -> ConfigError:
    return ConfigError("The endpoint's base URL is not an address like https://api.example.com/v1. Correct it.")


def _checked_key(api_key: str | None) -> str | None:
    """Return the key as it can stand in a header, None if it is blank."""
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigError("The API key holds a character that no key has, a line break perhaps. Copy it again.")
    return key or None


def _client(base_url: str, api_key: str | None) -> httpx.AsyncClient:
    import httpx

    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    return httpx.AsyncClient(
        headers=headers,
        timeout=None,  # noqa: S113 - `post` bounds the time of the whole call
        follow_redirects=False,  # the key and the content would go along
        verify=base_url.startswith("https:"),  # reading certificates takes 50 ms, and plain HTTP shows none
    )


THINKING_START, THINKING_END = "<think>", "</think>"


def draw_mark() -> str:
    """Return a new mark for one call: content that cannot know it cannot close it."""
    return f"=== {secrets.token_hex(16)} ==="


def fenced(text: str, mark: str) -> str:
    """Return a text, unchanged, between two lines that hold only the mark."""
    return f"{mark}\n{text}\n{mark}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A model to ask. Its errors name what was `wanted` of it, and say `otherwise` what follows or what to do."""

    endpoint: OpenAIEndpoint
    model: str
    wanted: str
    otherwise: str

    async def ask(self, instructions: str, question: str) -> str:
        """Return the model's finished answer without its reasoning, or raise JudgeError."""
        payload = {
            "model": self.model,
            "temperature": 0,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": question}],
        }
        try:
            answer = await self.endpoint.post("/chat/completions", payload)
        except EndpointError as exc:
            raise JudgeError(
                f"No {self.wanted} from {self.model}: {exc}", public=f"No {self.wanted} from {self.model}: {exc.public}"
            ) from exc
        return self._without_thinking(self._text_of(answer))

    def _text_of(self, answer: dict[str, Any]) -> str:
        """Return the text of a finished answer."""
        try:
            choice = answer["choices"][0]
            text, finish = choice["message"]["content"], choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError) as exc:
            raise self._wrong("holds no message. Check that the model is one for chat.") from exc
        if finish not in {None, "stop"}:
            raise self._wrong(f"is not complete (finish_reason {finish!r}). {self.otherwise}")
        if not isinstance(text, str):
            raise self._wrong("holds no text. Check that the model is one for chat.")
        return text

    def _without_thinking(self, text: str) -> str:
        """Drop the reasoning that some models put before the answer."""
        stripped = text.lstrip()
        if not stripped.startswith(THINKING_START):
            return text
        # With a second end mark, perhaps quoted from the content, nobody can tell where the answer begins.
        if stripped.count(THINKING_END) != 1:
            raise self._wrong(f"begins with reasoning that has no clear end. {self.otherwise}")
        return stripped.partition(THINKING_END)[2]

    def _wrong(self, problem: str) -> JudgeError:
        return JudgeError(f"No {self.wanted} from {self.model}: its answer {problem}")
