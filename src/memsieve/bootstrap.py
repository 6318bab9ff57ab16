"""Read the settings, pick the adapters, wire them: the only place that knows them all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from memsieve.config import Settings
from memsieve.errors import ConfigError
from memsieve.ingress.record import Ingress
from memsieve.jobs import schedule
from memsieve.jobs.reembed import Reembedder
from memsieve.ports import (
    Census,
    Clock,
    Embedder,
    Judge,
    Ledger,
    LongTermStore,
    QuarantineStore,
    VectorStore,
    WorkingStore,
)
from memsieve.project import Rooms
from memsieve.promotion.audit import Auditor
from memsieve.promotion.delete import Deleter
from memsieve.promotion.dismiss import Dismisser
from memsieve.promotion.promote import Promoter
from memsieve.promotion.retire import Retirer
from memsieve.retrieval.retrieve import Retriever
from memsieve.stores.sqlite.census import SqliteCensus
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.ledger import SqliteLedger
from memsieve.stores.sqlite.longterm import SqliteLongTerm
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.stores.sqlite.vectors import SqliteVectors
from memsieve.stores.sqlite.working import SqliteWorking
from memsieve.turns import Turns


def utc_now() -> datetime:
    """Return the time of this machine, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Stores:
    """The stores of one engine."""

    quarantine: QuarantineStore
    working: WorkingStore
    longterm: LongTermStore
    ledger: Ledger
    census: Census
    vectors: VectorStore


@dataclass(frozen=True, kw_only=True)
class House(Rooms):
    """The rooms of the projects, and what is done for all projects together."""

    reembedder: Reembedder


@asynccontextmanager
async def rooms(settings: Settings, clock: Clock = utc_now, *, jobs: bool = True) -> AsyncIterator[House]:
    """Open everything a memory is made of, and close it in turn; without `jobs` nothing is done by itself."""
    async with AsyncExitStack() as stack:
        embedder = _embedder(settings, stack)
        judge = _judge(settings, stack)
        stores = await _sqlite(settings, embedder, clock, stack)
        opened = _wire(stores, embedder, judge, settings, clock)
        stack.push_async_callback(opened.ingress.close)
        if jobs:
            await stack.enter_async_context(schedule.running(opened.ingress, stores.census))
            await stack.enter_async_context(schedule.reembedding(opened.reembedder))
        yield opened


async def _sqlite(settings: Settings, embedder: Embedder, clock: Clock, stack: AsyncExitStack) -> Stores:
    database = Database(settings.data)
    stack.push_async_callback(database.close)
    await database.open()
    return Stores(
        quarantine=SqliteQuarantine(database, embedder.name, clock),
        working=SqliteWorking(database, embedder.name, clock),
        longterm=SqliteLongTerm(database, embedder.name, clock),
        ledger=SqliteLedger(database, embedder.name),
        census=SqliteCensus(database, clock),
        vectors=SqliteVectors(database, embedder.name),
    )


def _wire(stores: Stores, embedder: Embedder, judge: Judge, settings: Settings, clock: Clock) -> House:
    quarantine, working, longterm, ledger = stores.quarantine, stores.working, stores.longterm, stores.ledger
    turns = Turns()
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
        ),
        promoter=Promoter(
            quarantine=quarantine,
            working=working,
            longterm=longterm,
            embedder=embedder,
            clock=clock,
            turns=turns,
            max_content_bytes=settings.max_content_bytes,
        ),
        dismisser=Dismisser(
            quarantine=quarantine,
            working=working,
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
        deleter=Deleter(quarantine=quarantine, working=working, turns=turns),
        auditor=Auditor(quarantine=quarantine, longterm=longterm, ledger=ledger),
        retriever=Retriever(working=working, longterm=longterm, ledger=ledger, embedder=embedder, clock=clock),
        quarantine=quarantine,
        working=working,
        longterm=longterm,
        census=stores.census,
        reembedder=Reembedder(vectors=stores.vectors, embedder=embedder),
    )


def _embedder(settings: Settings, stack: AsyncExitStack) -> Embedder:
    kind, _, model = settings.embedder.partition(":")
    if settings.embedder == "local":
        from memsieve.embedders.local import LocalEmbedder

        return LocalEmbedder()
    if kind == "openai" and model:
        return _openai_embedder(settings, model, stack)
    raise ConfigError(f"embedder is {settings.embedder!r}. Use 'local' or 'openai:<model>'.")


def _openai_embedder(settings: Settings, model: str, stack: AsyncExitStack) -> Embedder:
    from memsieve.embedders.openai import OpenAIEmbedder
    from memsieve.openai_api import OpenAIEndpoint

    if not settings.embedder_base_url:
        raise ConfigError(
            "embedder 'openai:…' needs MEMSIEVE_EMBEDDER_BASE_URL, for example http://localhost:11434/v1."
        )
    endpoint = OpenAIEndpoint(settings.embedder_base_url, settings.embedder_api_key, timeout=settings.llm_timeout)
    stack.push_async_callback(endpoint.aclose)
    return OpenAIEmbedder(endpoint, model)


def _judge(settings: Settings, stack: AsyncExitStack) -> Judge:
    if settings.llm_base_url and settings.llm_model:
        from memsieve.judges.openai import OpenAIJudge
        from memsieve.openai_api import OpenAIEndpoint

        endpoint = OpenAIEndpoint(settings.llm_base_url, settings.llm_api_key, timeout=settings.llm_timeout)
        stack.push_async_callback(endpoint.aclose)
        return OpenAIJudge(endpoint, settings.llm_model)
    from memsieve.judges.local import LocalJudge

    return LocalJudge()
