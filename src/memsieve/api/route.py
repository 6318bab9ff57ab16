"""A route of the API: who calls is asked, and whether they may, before anything they sent is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ClassVar, get_type_hints

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memsieve.api import problems
from memsieve.api.body import JsonRequest, require_json, taken
from memsieve.api.caller import RIGHTS, Right, identified
from memsieve.documents import Document
from memsieve.errors import InvalidInput
from memsieve.model import KeyRole

PREFIX = "/api/v1"
COMMON_PROBLEMS = (400, 401, 403, 408, 413, 415, 421, 422, 429, 431, 500, 503)

Endpoint = Callable[..., Coroutine[Any, Any, Response]]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class RestrictedRoute(APIRoute):
    """A route with the right that it needs."""

    right: ClassVar[Right]

    def get_route_handler(self) -> Handler:
        """Return what answers a request."""
        handle = _directly(self) or super().get_route_handler()
        takes_body = self.body_field is not None

        async def handled(request: Request) -> Response:
            request.state.caller = await identified(request, self.right)
            _refuse_repeated(request)
            if takes_body:
                require_json(request)
                request = JsonRequest(request.scope, request.receive)
            return await handle(request)

        return handled


def _directly(route: APIRoute) -> Handler | None:
    """Return what answers a request of which a body is all that is taken; FastAPI's own way takes twice as long."""
    takes, body, endpoint = route.dependant, route.body_field, route.endpoint
    if body is None or takes.path_params or takes.query_params or takes.header_params:
        return None
    shape: TypeAdapter[Any] = TypeAdapter(get_type_hints(endpoint, include_extras=True)[body.name])

    async def handle(request: Request) -> Response:
        response: Response = await endpoint(request, await taken(request, shape))
        return response

    return handle


def answer(document: Document, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with a document."""
    return Response(document.encode(), status, headers, "application/json")


class Api:
    """Puts routes on an application."""

    def __init__(self, app: FastAPI, *, keyless: bool) -> None:
        self._app = app
        self._keyless = keyless

    def add(
        self,
        method: str,
        path: str,
        endpoint: Endpoint,
        *,
        right: Right,
        tag: str,
        answers: Mapping[int, type[BaseModel] | None],
        also: tuple[int, ...] = (),
        headers: tuple[str, ...] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Put a route under the prefix, known by its endpoint's name.

        `also` are the problems that only some routes have, and `headers` what is told in the head of an answer.
        """
        first, *_ = answers
        self._app.router.add_api_route(
            PREFIX + path,
            endpoint,
            methods=[method],
            status_code=first,
            response_model=None,
            response_class=JSONResponse if answers[first] is not None else Response,
            responses=_responses(answers, headers) | {status: problems.documented(status) for status in _sorted(also)},
            tags=[tag],
            summary=(endpoint.__doc__ or "").partition("\n")[0].removesuffix("."),
            operation_id=_operation_id(endpoint.__name__),
            openapi_extra={"security": self._security(right), **(extra or {})},
            route_class_override=type("RestrictedRoute", (RestrictedRoute,), {"right": right}),
        )

    def _security(self, right: Right) -> list[dict[str, list[str]]]:
        keyless = self._keyless and KeyRole.AGENT in RIGHTS[right]
        return [{"key": []}, {}] if keyless else [{"key": []}]


def _sorted(also: tuple[int, ...]) -> list[int]:
    return sorted({*COMMON_PROBLEMS, *also})


def _responses(
    answers: Mapping[int, type[BaseModel] | None], headers: tuple[str, ...]
) -> dict[int | str, dict[str, Any]]:
    told = {"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers}}
    return {status: told if model is None else {**told, "model": model} for status, model in answers.items()}


def _operation_id(name: str) -> str:
    """Return the name that programs made from the OpenAPI document give a deed: `read_entry` is `readEntry` there."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _refuse_repeated(request: Request) -> None:
    """Refuse a query that says the same twice: which of the two counts would be anybody's guess."""
    if not request.scope.get("query_string"):
        return
    names = Counter(name for name, _ in request.query_params.multi_items())
    twice, count = next(iter(names.most_common(1)), ("", 0))
    if count > 1:
        raise InvalidInput(f"{twice} is given more than once. Give it once.", field=twice)
