"""Read the settings, pick the adapters, wire them: the only place that knows them all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memsieve import embedding, engines
from memsieve.access.keyring import Keyring
from memsieve.config import Settings
from memsieve.digest.build import Digester
from memsieve.digest.decided import Decided
from memsieve.digest.insight import InsightMaker
from memsieve.digest.propose import Proposer
from memsieve.engines import Stores, utc_now
from memsieve.ingress.record import Ingress
from memsieve.ingress.restore import Restorer
from memsieve.ingress.standing import Standing
from memsieve.jobs import schedule
from memsieve.jobs.reembed import Reembedder
from memsieve.jobs.weekly import WeeklyDigests
from memsieve.ports import Clock, Embedder, Happenings, Judge, Summariser
from memsieve.project import Rooms
from memsieve.promotion.audit import Auditor
from memsieve.promotion.delete import Deleter
from memsieve.promotion.dismiss import Dismisser
from memsieve.promotion.promote import Promoter
from memsieve.promotion.retire import Retirer
from memsieve.retrieval.retrieve import Retriever
from memsieve.turns import Turns

if TYPE_CHECKING:
    from memsieve.openai_api import OpenAIEndpoint


@dataclass(frozen=True, kw_only=True)
class House(Rooms):
    """The rooms of the projects, and what is done for all projects together."""

    reembedder: Reembedder
    weekly: WeeklyDigests
    keys: Keyring
    happenings: Happenings
    spooled: Callable[[], int]
    probe: Callable[[], Awaitable[None]]


@asynccontextmanager
async def rooms(settings: Settings, clock: Clock = utc_now, *, jobs: bool = True) -> AsyncIterator[House]:
    """Open everything a memory is made of, and close it in turn; without `jobs` nothing is done by itself."""
    async with AsyncExitStack() as stack:
        embedder = _embedder(settings, stack)
        llm = _llm(settings, stack)
        judge = _judge(settings, llm)
        stores = await engines.opened(settings, embedder, clock, stack)
        opened = _wire(stores, embedder, judge, _summariser(settings, llm), settings, clock)
        stack.push_async_callback(opened.ingress.close)
        if jobs:
            await stack.enter_async_context(schedule.running(opened.ingress, stores.census))
        # On PostgreSQL there are workers for what takes long.
        if jobs and not settings.database_url:
            await stack.enter_async_context(schedule.reembedding(opened.reembedder))
            await stack.enter_async_context(schedule.digesting(opened.weekly))
            await stack.enter_async_context(schedule.forgetting(opened.happenings))
        yield opened


def _wire(
    stores: Stores,
    embedder: Embedder,
    judge: Judge,
    summariser: Summariser | None,
    settings: Settings,
    clock: Clock,
) -> House:
    quarantine, working, longterm, ledger = stores.quarantine, stores.working, stores.longterm, stores.ledger
    turns = Turns()
    standing = Standing(quarantine=quarantine, working=working, ledger=ledger, settings=settings.filter)
    digester = _digester(stores, embedder, summariser, settings, clock)
    return House(
        ingress=Ingress(
            quarantine=quarantine,
            working=working,
            ledger=ledger,
            embedder=embedder,
            judge=judge,
            settings=settings,
            clock=clock,
            turns=turns,
            standing=standing,
        ),
        promoter=Promoter(
            quarantine=quarantine,
            working=working,
            longterm=longterm,
            digests=stores.digests,
            embedder=embedder,
            clock=clock,
            turns=turns,
            max_content_bytes=settings.max_content_bytes,
        ),
        dismisser=Dismisser(
            quarantine=quarantine,
            working=working,
            digests=stores.digests,
            ledger=ledger,
            embedder=embedder,
            clock=clock,
            turns=turns,
            tombstone_similarity=settings.filter.tombstone_similarity,
        ),
        retirer=Retirer(
            working=working,
            longterm=longterm,
            ledger=ledger,
            embedder=embedder,
            clock=clock,
            turns=turns,
            tombstone_similarity=settings.filter.tombstone_similarity,
        ),
        digester=digester,
        proposer=Proposer(
            quarantine=quarantine, digests=stores.digests, ledger=ledger, maker=digester.maker, clock=clock
        ),
        restorer=Restorer(
            quarantine=quarantine,
            working=working,
            standing=standing,
            clock=clock,
            turns=turns,
        ),
        deleter=Deleter(quarantine=quarantine, working=working, turns=turns),
        auditor=Auditor(quarantine=quarantine, longterm=longterm, ledger=ledger, digests=stores.digests),
        retriever=Retriever(working=working, longterm=longterm, ledger=ledger, embedder=embedder, clock=clock),
        quarantine=quarantine,
        working=working,
        longterm=longterm,
        census=stores.census,
        reembedder=Reembedder(vectors=stores.vectors, embedder=embedder),
        weekly=WeeklyDigests(
            digester=digester,
            runs=stores.runs,
            census=stores.census,
            quarantine=quarantine,
            clock=clock,
            day=settings.digest_day,
            hour=settings.digest_hour,
            zone=settings.time_zone,
        ),
        keys=Keyring(stores.keys, clock),
        happenings=stores.happenings,
        spooled=stores.spooled,
        probe=stores.probe,
    )


def _digester(
    stores: Stores, embedder: Embedder, summariser: Summariser | None, settings: Settings, clock: Clock
) -> Digester:
    return Digester(
        digests=stores.digests,
        decided=Decided(
            digests=stores.digests,
            longterm=stores.longterm,
            ledger=stores.ledger,
            tombstone_similarity=settings.filter.tombstone_similarity,
        ),
        maker=InsightMaker(longterm=stores.longterm, embedder=embedder, summariser=summariser),
        embedder=embedder,
        clock=clock,
    )


def _embedder(settings: Settings, stack: AsyncExitStack) -> Embedder:
    return embedding.chosen(settings, stack)


def _llm(settings: Settings, stack: AsyncExitStack) -> OpenAIEndpoint | None:
    """Open the endpoint of the language model, one for all who ask it."""
    if not settings.llm_base_url:
        return None
    from memsieve.openai_api import OpenAIEndpoint

    endpoint = OpenAIEndpoint(settings.llm_base_url, settings.llm_api_key, timeout=settings.llm_timeout)
    stack.push_async_callback(endpoint.aclose)
    return endpoint


def _judge(settings: Settings, llm: OpenAIEndpoint | None) -> Judge:
    if llm and settings.llm_model:
        from memsieve.judges.openai import OpenAIJudge

        return OpenAIJudge(llm, settings.llm_model)
    from memsieve.judges.local import LocalJudge

    return LocalJudge()


def _summariser(settings: Settings, llm: OpenAIEndpoint | None) -> Summariser | None:
    if llm and settings.llm_model:
        from memsieve.judges.summariser import OpenAISummariser

        return OpenAISummariser(llm, settings.llm_model)
    return None
