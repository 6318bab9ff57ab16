"""Read the settings, pick the adapters, wire them: the only place that knows them all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memsieve.config import Settings
from memsieve.digest.insights import InsightMaker
from memsieve.digest.pipeline import Digester
from memsieve.digest.prior_decisions import PriorDecisions
from memsieve.digest.propose import Proposer
from memsieve.ingress.admission import AdmissionDecider
from memsieve.ingress.recheck import AdmissionRecheck
from memsieve.ingress.recording import Ingress
from memsieve.ingress.restore import Restorer
from memsieve.jobs import schedule
from memsieve.jobs.reembed import Reembedder
from memsieve.jobs.weekly import WeeklyDigests
from memsieve.keyring import Keyring
from memsieve.ports import (
    Clock,
    Embedder,
    EventLog,
    Judge,
    LongTermStore,
    QuarantineStore,
    Statistics,
    Summariser,
    WorkingStore,
)
from memsieve.retrieval.retriever import Retriever
from memsieve.review.audit import Auditor
from memsieve.review.promote import Promoter
from memsieve.review.removal import Deleter, Dismisser, Retirer
from memsieve.runtime.project_locks import ProjectLocks
from memsieve.services import embedder as embedders
from memsieve.services.stores import Stores, open_stores, utc_now

if TYPE_CHECKING:
    from memsieve.models.openai_api import OpenAIEndpoint


@dataclass(frozen=True, kw_only=True)
class Services:
    """The services of a memory, wired once when it is opened."""

    ingress: Ingress
    restorer: Restorer
    retriever: Retriever
    promoter: Promoter
    dismisser: Dismisser
    retirer: Retirer
    deleter: Deleter
    auditor: Auditor
    digester: Digester
    proposer: Proposer
    weekly: WeeklyDigests
    reembedder: Reembedder
    keys: Keyring
    quarantine: QuarantineStore
    working: WorkingStore
    longterm: LongTermStore
    statistics: Statistics
    events: EventLog
    # How many entries wait in the local spool for a store that is down.
    spooled: Callable[[], int]
    # Writes a little, or raises what keeps the stores from writing.
    probe: Callable[[], Awaitable[None]]


@asynccontextmanager
async def open_services(
    settings: Settings, clock: Clock = utc_now, *, embedder: Embedder | None = None, jobs: bool = True
) -> AsyncIterator[Services]:
    """Open the stores and models that the settings name, and close them at the end.

    An `embedder` takes the place of the one the settings name. Without `jobs` no background work is started.
    """
    async with AsyncExitStack() as stack:
        embedder = embedder or embedders.choose_embedder(settings, stack)
        llm = _llm(settings, stack)
        judge = _judge(settings, llm)
        stores = await open_stores(settings, embedder, clock, stack)
        opened = _wire(stores, embedder, judge, _summariser(settings, llm), settings, clock)
        stack.push_async_callback(opened.ingress.close)
        if jobs:
            await stack.enter_async_context(schedule.running(opened.ingress, stores.statistics))
        # On PostgreSQL there are workers for what takes long.
        if jobs and not settings.database_url:
            await stack.enter_async_context(schedule.reembedding(opened.reembedder))
            await stack.enter_async_context(schedule.digesting(opened.weekly))
            await stack.enter_async_context(schedule.forgetting(opened.events))
        yield opened


def _wire(
    stores: Stores,
    embedder: Embedder,
    judge: Judge,
    summariser: Summariser | None,
    settings: Settings,
    clock: Clock,
) -> Services:
    quarantine, working, longterm = stores.quarantine, stores.working, stores.longterm
    tombstones, servings = stores.tombstones, stores.servings
    locks = ProjectLocks()
    recheck = AdmissionRecheck(
        quarantine=quarantine, working=working, tombstones=tombstones, audit=stores.audit, settings=settings.filter
    )
    decider = AdmissionDecider(
        quarantine=quarantine,
        working=working,
        servings=servings,
        tombstones=tombstones,
        embedder=embedder,
        judge=judge,
        settings=settings,
        clock=clock,
        locks=locks,
        recheck=recheck,
    )
    digester = _digester(stores, embedder, summariser, settings, clock)
    return Services(
        ingress=Ingress(quarantine=quarantine, settings=settings, clock=clock, decider=decider),
        promoter=Promoter(
            quarantine=quarantine,
            working=working,
            longterm=longterm,
            digests=stores.digests,
            embedder=embedder,
            clock=clock,
            locks=locks,
            max_content_bytes=settings.max_content_bytes,
        ),
        dismisser=Dismisser(
            quarantine=quarantine,
            working=working,
            digests=stores.digests,
            tombstones=tombstones,
            embedder=embedder,
            clock=clock,
            locks=locks,
            tombstone_similarity=settings.filter.tombstone_similarity,
        ),
        retirer=Retirer(
            working=working,
            longterm=longterm,
            servings=servings,
            embedder=embedder,
            clock=clock,
            locks=locks,
            tombstone_similarity=settings.filter.tombstone_similarity,
        ),
        digester=digester,
        proposer=Proposer(
            quarantine=quarantine, digests=stores.digests, audit=stores.audit, maker=digester.maker, clock=clock
        ),
        restorer=Restorer(
            quarantine=quarantine,
            working=working,
            recheck=recheck,
            clock=clock,
            locks=locks,
        ),
        deleter=Deleter(quarantine=quarantine, working=working, locks=locks),
        auditor=Auditor(
            quarantine=quarantine, longterm=longterm, servings=servings, audit=stores.audit, digests=stores.digests
        ),
        retriever=Retriever(working=working, longterm=longterm, servings=servings, embedder=embedder, clock=clock),
        quarantine=quarantine,
        working=working,
        longterm=longterm,
        statistics=stores.statistics,
        reembedder=Reembedder(vectors=stores.vectors, embedder=embedder),
        weekly=WeeklyDigests(
            digester=digester,
            runs=stores.runs,
            statistics=stores.statistics,
            quarantine=quarantine,
            clock=clock,
            day=settings.digest_day,
            hour=settings.digest_hour,
            zone=settings.time_zone,
        ),
        keys=Keyring(stores.keys, clock),
        events=stores.events,
        spooled=stores.spooled,
        probe=stores.probe,
    )


def _digester(
    stores: Stores, embedder: Embedder, summariser: Summariser | None, settings: Settings, clock: Clock
) -> Digester:
    return Digester(
        digests=stores.digests,
        decided=PriorDecisions(
            digests=stores.digests,
            longterm=stores.longterm,
            tombstones=stores.tombstones,
            tombstone_similarity=settings.filter.tombstone_similarity,
        ),
        maker=InsightMaker(longterm=stores.longterm, embedder=embedder, summariser=summariser),
        embedder=embedder,
        clock=clock,
    )


def _llm(settings: Settings, stack: AsyncExitStack) -> OpenAIEndpoint | None:
    """Open the endpoint of the language model, one for all who ask it."""
    if not settings.llm_base_url:
        return None
    from memsieve.models.openai_api import OpenAIEndpoint

    endpoint = OpenAIEndpoint(settings.llm_base_url, settings.llm_api_key, timeout=settings.llm_timeout)
    stack.push_async_callback(endpoint.aclose)
    return endpoint


def _judge(settings: Settings, llm: OpenAIEndpoint | None) -> Judge:
    if llm and settings.llm_model:
        from memsieve.models.judges import OpenAIJudge

        return OpenAIJudge(llm, settings.llm_model)
    from memsieve.models.judges import LocalJudge

    return LocalJudge()


def _summariser(settings: Settings, llm: OpenAIEndpoint | None) -> Summariser | None:
    if llm and settings.llm_model:
        from memsieve.models.summariser import OpenAISummariser

        return OpenAISummariser(llm, settings.llm_model)
    return None
