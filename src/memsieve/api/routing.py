"""Routes of the API: the caller is authenticated and authorized before anything else of a request is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from inspect import signature
from typing import Any, ClassVar, get_type_hints

from fastapi import FastAPI, params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memsieve.api import problems
from memsieve.api.auth import authenticate
from memsieve.api.requests import read_body, require_json
from memsieve.documents import Document
from memsieve.errors import InvalidInput
from memsieve.model import RIGHTS, KeyRole, Right

PREFIX = "/api/v1"
COMMON_PROBLEMS = (400, 401, 403, 408, 413, 415, 421, 422, 429, 431, 500, 503)

Endpoint = Callable[..., Coroutine[Any, Any, Response]]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
# Reads what one parameter of an endpoint takes; `_MISSING` where its default counts.
Reader = Callable[[Request], Awaitable[object]]
_MISSING = object()


class RestrictedRoute(APIRoute):
    """A route that requires a right. It reads parameters itself: FastAPI takes twice as long, and reads JSON laxly."""

    right: ClassVar[Right]

    def get_route_handler(self) -> Handler:
        """Return the handler of requests."""
        readers = dict(_readers(self.endpoint))
        takes_body = self.body_field is not None

        async def handle(request: Request) -> Response:
            request.state.caller = await authenticate(request, self.right)
            _refuse_repeated(request)
            if takes_body:
                require_json(request)
            arguments = {name: await read(request) for name, read in readers.items()}
            given = {name: value for name, value in arguments.items() if value is not _MISSING}
            response: Response = await self.endpoint(request, **given)
            return response

        return handle


def restricted(right: Right) -> type[RestrictedRoute]:
    """Return the class of routes that require a right."""
    return type("RestrictedRoute", (RestrictedRoute,), {"right": right})


def json_response(document: Document, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a document as a response."""
    return Response(document.encode(), status, headers, "application/json")


class Routes:
    """The routes of one tag; `add_to` puts them on an application."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._pending: list[tuple[Right, dict[str, Any], Mapping[str, Any]]] = []

    def add(
        self,
        method: str,
        path: str,
        right: Right,
        answers: Mapping[int, type[BaseModel] | None],
        *,
        also: tuple[int, ...] = (),
        headers: tuple[str, ...] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> Callable[[Endpoint], Endpoint]:
        """Make the decorated function the endpoint of a route below `PREFIX`, and its name the operation's id.

        `also` are problems beside `COMMON_PROBLEMS`, and `headers` those of an answer in the OpenAPI document.
        """
        first = next(iter(answers))

        def decorate(endpoint: Endpoint) -> Endpoint:
            options = {
                "path": PREFIX + path,
                "endpoint": endpoint,
                "methods": [method],
                "status_code": first,
                "response_model": None,
                "response_class": JSONResponse if answers[first] is not None else Response,
                "responses": _responses(answers, headers, also),
                "tags": [self._tag],
                "summary": (endpoint.__doc__ or "").partition("\n")[0].removesuffix("."),
                "operation_id": _operation_id(endpoint.__name__),
                "route_class_override": restricted(right),
            }
            self._pending.append((right, options, extra or {}))
            return endpoint

        return decorate

    def add_to(self, app: FastAPI, *, keyless: bool) -> None:
        """Put the routes on an application; `keyless` says whether agents on this machine need no key."""
        for right, options, extra in self._pending:
            security: list[dict[str, list[str]]] = (
                [{"key": []}, {}] if keyless and KeyRole.AGENT in RIGHTS[right] else [{"key": []}]
            )
            app.router.add_api_route(**options, openapi_extra={"security": security, **extra})


def _responses(
    answers: Mapping[int, type[BaseModel] | None], headers: tuple[str, ...], also: tuple[int, ...]
) -> dict[int | str, dict[str, Any]]:
    shown = {"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers}}
    responses: dict[int | str, dict[str, Any]] = {
        status: problems.documented(status) for status in sorted({*COMMON_PROBLEMS, *also})
    }
    return {status: {**shown, "model": model} if model else shown for status, model in answers.items()} | responses


def _operation_id(name: str) -> str:
    """Return an operation's name in generated clients: `read_entry` is `readEntry` there."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _readers(endpoint: Endpoint) -> Iterator[tuple[str, Reader]]:
    """Yield a reader for each parameter, the body last: an error in the URL is answered without reading it."""
    hints = get_type_hints(endpoint, include_extras=True)
    names = [name for name in signature(endpoint).parameters if name != "request"]
    places = {name: _place(hints[name]) for name in names}
    for name in sorted(names, key=lambda name: places[name] is params.Body):
        yield name, _reader(name, places[name], TypeAdapter(hints[name]))


def _place(hint: Any) -> type:
    """Return where FastAPI would read a parameter: an annotated one there, and any other in the body."""
    annotated = (type(one) for one in getattr(hint, "__metadata__", ()))
    return next((one for one in annotated if issubclass(one, params.Param)), params.Body)


def _reader(name: str, place: type, shape: TypeAdapter[Any]) -> Reader:
    async def from_path(request: Request) -> object:
        return _validated(shape, request.path_params[name], "path", name)

    async def from_query(request: Request) -> object:
        return _validated(shape, dict(request.query_params), "query")

    async def from_header(request: Request) -> object:
        header = name.replace("_", "-")
        value = request.headers.get(header)
        return _MISSING if value is None else _validated(shape, value, "header", header)

    async def from_body(request: Request) -> object:
        return _validated(shape, await read_body(request), "body")

    return {params.Path: from_path, params.Query: from_query, params.Header: from_header, params.Body: from_body}[place]


def _validated(shape: TypeAdapter[Any], value: object, *where: str) -> object:
    try:
        return shape.validate_python(value, from_attributes=True)
    except ValidationError as exc:
        errors = exc.errors(include_url=False)
        raise RequestValidationError([{**error, "loc": (*where, *error["loc"])} for error in errors]) from exc


def _refuse_repeated(request: Request) -> None:
    """Refuse a query with a repeated name: it would be a guess which one counts."""
    if not request.scope.get("query_string"):
        return
    names = Counter(name for name, _ in request.query_params.multi_items())
    name, count = next(iter(names.most_common(1)), ("", 0))
    if count > 1:
        raise InvalidInput(f"{name} is given more than once. Give it once.", field=name)
