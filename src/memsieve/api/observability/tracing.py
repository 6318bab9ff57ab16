"""Traces for OpenTelemetry, where the environment configures them: no content, no names, no queries of URLs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from memsieve.embedded import EmbeddedProject, EmbeddedReview
from memsieve.project import AsyncReview
from memsieve.services.container import Services

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind, Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVER_FAULT = 500

_log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


def configured_traces(environment: Mapping[str, str] = os.environ) -> Traces:
    """Return traces that are sent to the endpoint in the environment; without one they do nothing."""
    if not any(environment.get(name) for name in ENDPOINTS):
        return Traces()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        _log.warning(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but no traces are sent: packages are missing (%s). "
            "Install them: pip install 'memsieve[otel]'",
            exc,
        )
        return Traces()
    named = {} if "OTEL_SERVICE_NAME" in environment else {SERVICE_NAME: "memsieve"}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Traces(provider)


class Traces:
    """Spans of requests and of operations inside them; without a provider they do nothing."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer: Tracer | None = None if provider is None else provider.get_tracer("memsieve")

    @contextmanager
    def request(self, method: str, headers: Iterable[tuple[bytes, bytes]]) -> Iterator[RequestSpan]:
        """Trace a request, in its caller's trace where its headers name one."""
        if self._tracer is None:
            yield RequestSpan(None)
            return
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        named = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        with _span(self._tracer, method, SpanKind.SERVER, extract(named)) as span:
            span.set_attribute("http.request.method", method)
            yield RequestSpan(span)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Trace an operation inside a request."""
        if self._tracer is None:
            yield
            return
        from opentelemetry.trace import SpanKind

        with _span(self._tracer, f"memsieve {name}", SpanKind.INTERNAL):
            yield

    def close(self) -> None:
        """Send all pending spans."""
        if self._provider is not None:
            self._provider.shutdown()


class RequestSpan:
    """The span of a request, completed when it is answered."""

    def __init__(self, span: Span | None) -> None:
        self._span = span

    def answered(self, method: str, route: str, status: int) -> None:
        """Name the span by its route, and set the status."""
        if self._span is None:
            return
        self._span.update_name(f"{method} {route}")
        self._span.set_attributes({"http.route": route, "http.response.status_code": status})
        if status >= SERVER_FAULT:
            _failed(self._span, str(status))


@contextmanager
def _span(tracer: Tracer, name: str, kind: SpanKind, parent: Context | None = None) -> Iterator[Span]:
    # An error's message may quote content: only its class is recorded.
    with tracer.start_as_current_span(
        name, parent, kind, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except Exception as exc:
            _failed(span, type(exc).__name__)
            raise


def _failed(span: Span, kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _traced(
    name: str, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return the method in a span of this name."""

    @wraps(method)
    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._traces.span(name):
            return await method(self, *args, **kwargs)

    return call


class TracedProject(EmbeddedProject):
    """An agent's project, traced."""

    def __init__(self, services: Services, project_id: str, agent: str | None, traces: Traces) -> None:
        super().__init__(services, project_id, agent)
        self._traces = traces

    record = _traced("record", EmbeddedProject.record)
    retrieve = _traced("retrieve", EmbeddedProject.retrieve)

    def review(self, *, by: str) -> AsyncReview:
        return TracedReview(self._services, self.id, by, self._traces)


class TracedReview(EmbeddedReview):
    """A person's review, traced."""

    def __init__(self, services: Services, project_id: str, by: str, traces: Traces) -> None:
        super().__init__(services, project_id, by)
        self._traces = traces

    promote = _traced("promote", EmbeddedReview.promote)
    promote_text = _traced("promote", EmbeddedReview.promote_text)
    retire = _traced("retire", EmbeddedReview.retire)
