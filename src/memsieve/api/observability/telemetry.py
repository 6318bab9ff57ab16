"""Middleware that counts, traces and logs every request."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memsieve.api.observability.metrics import Metrics
from memsieve.api.observability.tracing import RequestSpan, Traces
from memsieve.runtime.logs import ACCESS

# Probes come every few seconds, and are logged only when they fail.
QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
NO_ROUTE = "none"
FAULT = 500
_REFUSAL = 400

_log = logging.getLogger(ACCESS)


@dataclass(slots=True)
class _Answer:
    began: float
    status: int = FAULT
    seconds: float | None = None


class Telemetry:
    """ASGI middleware; the outermost, so that it sees refusals, too."""

    def __init__(self, app: ASGIApp, metrics: Metrics, traces: Traces) -> None:
        self._app = app
        self._metrics = metrics
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as the application does."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(began=time.perf_counter())

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                _note(answer, message)
            await send(message)

        with self._traces.request(scope["method"], scope["headers"]) as span:
            try:
                await self._app(scope, receive, watched)
            finally:
                self._record(scope, answer, span)

    def _record(self, scope: Scope, answer: _Answer, span: RequestSpan) -> None:
        route, took = _route(scope), time.perf_counter() - answer.began
        self._metrics.answered(scope["method"], route, answer.status, answer.seconds or took)
        span.answered(scope["method"], route, answer.status)
        if route in QUIET and answer.status < _REFUSAL:
            return
        document = {
            "method": scope["method"],
            "route": route,
            "status": answer.status,
            "ms": round(took * 1000, 1),
            "request_id": scope.get("state", {}).get("request_id"),
            "key_id": _key_id(scope),
        }
        level = logging.WARNING if answer.status >= FAULT else logging.INFO
        _log.log(level, "%s %s %d %.1f ms", *list(document.values())[:4], extra={"document": document})


def _note(answer: _Answer, message: Message) -> None:
    answer.status = message["status"]
    answer.seconds = time.perf_counter() - answer.began


def _route(scope: Scope) -> str:
    """Return the template of the route, never the URL: that may contain anything."""
    return str(getattr(scope.get("route"), "path", NO_ROUTE))


def _key_id(scope: Scope) -> str | None:
    caller: Any = scope.get("state", {}).get("caller")
    return getattr(caller, "key_id", None)
