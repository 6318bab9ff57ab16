"""The metrics at /metrics. None of them names a project, a key or any content."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from memsieve.model import Decision, Totals
from memsieve.services.stores import utc_now

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
# The folder that the workers of one server share; prometheus_client reads it when it is imported.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The numbers of one process; with several workers, of all of them."""

    def __init__(self) -> None:
        self._own = own = CollectorRegistry()
        self._requests = Counter(
            "memsieve_requests",
            "Requests answered, by the route's template; none for an address that is no route.",
            ["method", "route", "status"],
            registry=own,
        )
        self._seconds = Histogram(
            "memsieve_request_seconds",
            "Seconds until an answer began.",
            ["method", "route"],
            buckets=_SECONDS,
            registry=own,
        )
        self._streams = Gauge("memsieve_event_streams", "Streams open.", multiprocess_mode="livesum", registry=own)
        self._spooled = Gauge(
            "memsieve_spool_entries",
            "Entries that wait on the local disk for PostgreSQL.",
            multiprocess_mode="livesum",
            registry=own,
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def spooled(self, entries: int) -> None:
        """Set how many entries wait in this process's spool."""
        self._spooled.set(entries)

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[None]:
        """Count an event stream while it is open."""
        self._streams.inc()
        try:
            yield
        finally:
            self._streams.dec()

    def text(self, totals: Totals | None, refusals: Mapping[str, int] | None) -> bytes:
        """Return all metrics in Prometheus's format."""
        stored = CollectorRegistry()
        stored.register(_Stored(totals, refusals))
        return generate_latest(self._shared()) + generate_latest(stored)

    def _shared(self) -> CollectorRegistry:
        if SHARED_FOLDER not in os.environ:
            return self._own
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call] # it registers itself
        return shared


class _Stored:
    """The last counts of the stores.

    Gauges, since deleted records are not counted; of the stores, so that repeated requests, late decisions, and work by
    the CLI or another worker are counted once.
    """

    def __init__(self, totals: Totals | None, refusals: Mapping[str, int] | None) -> None:
        self._totals = totals
        self._refusals = refusals

    def collect(self) -> Iterator[Metric]:
        counted = self._totals
        yield _gauge("memsieve_store_up", "Whether the stores could be counted lately.", 0 if counted is None else 1)
        if counted is None:
            return
        yield _gauge("memsieve_projects", "Projects that hold anything.", counted.projects)
        yield _tiers(counted)
        yield _decisions(counted)
        if self._refusals is not None:
            yield _failed(self._refusals)
        yield _gauge("memsieve_promotions", "Texts that persons promoted.", counted.memories + counted.retired)
        yield _gauge("memsieve_retirements", "Memories that persons retired.", counted.retired)
        yield _gauge("memsieve_tombstones", "Rejected texts that must not come back.", counted.tombstones)
        yield _gauge(
            "memsieve_oldest_pending_seconds",
            "Age of the oldest entry that waits for the filter's decision; 0 if none does.",
            _age(counted.oldest_pending),
        )
        yield _gauge("memsieve_insights_waiting", "Insights that wait for a person.", counted.insights_waiting)
        yield _gauge(
            "memsieve_oldest_insight_seconds",
            "Age of the oldest insight that waits; 0 if none does.",
            _age(counted.oldest_waiting),
        )
        yield _purity(counted)


def _tiers(counted: Totals) -> Metric:
    family = GaugeMetricFamily("memsieve_entries", "Entries, and memories in long-term.", labels=["tier"])
    family.add_metric(["quarantine"], counted.recorded)
    # Unknown while Redis does not answer, not 0.
    if counted.working is not None:
        family.add_metric(["working"], counted.working)
    family.add_metric(["long-term"], counted.memories)
    return family


def _decisions(counted: Totals) -> Metric:
    family = GaugeMetricFamily("memsieve_decisions", "Entries by the filter's decision.", labels=["decision"])
    for decision, number in (
        (Decision.ADMITTED, counted.admitted),
        (Decision.REFUSED, counted.refused),
        (Decision.PENDING, counted.pending),
    ):
        family.add_metric([str(decision)], number)
    return family


def _failed(refusals: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily("memsieve_refusals", "Refused entries, by each check that failed.", labels=["check"])
    for check, number in refusals.items():
        family.add_metric([check], number)
    return family


def _purity(counted: Totals) -> Metric:
    family = GaugeMetricFamily("memsieve_purity", "Share of all recorded entries that came so far.", labels=["stage"])
    family.add_metric(["admitted"], counted.admitted / max(counted.recorded, 1))
    family.add_metric(["promoted"], counted.promoted / max(counted.recorded, 1))
    return family


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help_text, value=value)


def _age(since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (utc_now() - since).total_seconds())
