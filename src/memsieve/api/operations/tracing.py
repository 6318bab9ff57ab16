"""Traces for OpenTelemetry, where they are asked for: no content, no names, no addresses with their queries."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind, Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVER_FAULT = 500

_log = logging.getLogger(__name__)


def configured(environment: Mapping[str, str] = os.environ) -> Traces:
    """Return traces that go where the environment says, or nowhere."""
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
    """Spans of requests and of what is done inside them; without a provider nothing happens."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer: Tracer | None = None if provider is None else provider.get_tracer("memsieve")

    @contextmanager
    def request(self, method: str, headers: Iterable[tuple[bytes, bytes]]) -> Iterator[RequestSpan]:
        """Trace a request, as part of its caller's trace where the caller names one."""
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
        """Trace what is done inside a request."""
        if self._tracer is None:
            yield
            return
        from opentelemetry.trace import SpanKind

        with _span(self._tracer, f"memsieve {name}", SpanKind.INTERNAL):
            yield

    def close(self) -> None:
        """Send what has not been sent."""
        if self._provider is not None:
            self._provider.shutdown()


class RequestSpan:
    """What is known of a request only when it has been answered."""

    def __init__(self, span: Span | None) -> None:
        self._span = span

    def answered(self, method: str, route: str, status: int) -> None:
        """Name the span by its route, and say how it went."""
        if self._span is None:
            return
        self._span.update_name(f"{method} {route}")
        self._span.set_attributes({"http.route": route, "http.response.status_code": status})
        if status >= SERVER_FAULT:
            _failed(self._span, str(status))


@contextmanager
def _span(tracer: Tracer, name: str, kind: SpanKind, parent: Context | None = None) -> Iterator[Span]:
    # An error's own words may repeat what somebody said: only its kind is told.
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
