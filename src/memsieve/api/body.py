"""The body of a request: JSON as RFC 8259 has it, and nothing else."""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

# Deeper than anybody means it, and shallow enough for whoever reads it again later.
MAX_DEPTH = 64

T = TypeVar("T")


async def taken(request: Request, shape: TypeAdapter[T]) -> T:
    """Read a body as what a route takes; what is wrong with it is told as FastAPI tells it."""
    try:
        body = await request.body()
    except ClientDisconnect as exc:
        raise HTTPException(400, "The body did not come whole. Send it again.") from exc
    if not body:
        raise RequestValidationError([{"type": "missing", "loc": ("body",), "msg": "Field required", "input": None}])
    try:
        return shape.validate_python(read_json(body), from_attributes=True)
    except ValidationError as exc:
        errors = exc.errors(include_url=False)
        raise RequestValidationError([{**error, "loc": ("body", *error["loc"])} for error in errors]) from exc


class JsonRequest(Request):
    """A request whose body is read strictly."""

    async def json(self) -> Any:
        """Read the body."""
        return read_json(await self.body())


def require_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # Whoever sent nothing is told which fields are missing.
    nothing = not kind and request.headers.get("content-length", "0") == "0"
    if kind != "application/json" and not (nothing and "transfer-encoding" not in request.headers):
        raise HTTPException(415, "Send JSON, with `Content-Type: application/json`.")


def read_json(body: bytes) -> Any:
    """Read JSON strictly: UTF-8, no NaN, no key twice, no number beyond reading, not too deep."""
    try:
        document = json.loads(body.decode(), parse_constant=_refuse_constant, object_pairs_hook=_object)
    except UnicodeDecodeError as exc:
        raise HTTPException(400, f"The body is not valid UTF-8 at byte {exc.start}. Encode it so.") from exc
    except json.JSONDecodeError as exc:
        raise HTTPException(400, f"The body is not JSON: {exc.msg} at position {exc.pos}. Correct it.") from exc
    except (ValueError, RecursionError) as exc:
        raise HTTPException(400, f"The body cannot be read: {exc}. Correct it.") from exc
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _deeper(document, MAX_DEPTH):
        raise HTTPException(400, f"The body is nested more than {MAX_DEPTH} deep. Make it flatter.")
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _deeper(document: Any, most: int) -> bool:
    """Tell whether a document is nested deeper than so, without recursion."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(most):
        level = [
            one
            for outer in level
            for one in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(one, dict | list)
        ]
        if not level:
            return False
    return True
