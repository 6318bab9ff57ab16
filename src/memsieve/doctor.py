"""Health checks: one finding for each part that a memory needs, with advice. Nothing is changed."""

from __future__ import annotations

import asyncio
import logging
import platform
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from memsieve.config import Settings, read_settings
from memsieve.errors import ConfigError, Forbidden, MemsieveError, StoreUnavailable
from memsieve.model import SERVER_PROJECT, Scope
from memsieve.services.container import Services, open_services
from memsieve.stores.sqlite.database import FILE_NAME
from memsieve.stores.sqlite.health import FileHealth, examine

if TYPE_CHECKING:
    from memsieve.stores.postgres.health import IndexHealth

LITTLE_SPACE = 200 * 1024 * 1024
# Time limit of each readiness check.
READY_SECONDS = 5.0
PROBE = "The ledger uses PostgreSQL because it needs real transactions."
# Two sentences so alike that the local judge asks its model.
ALIKE = "Maria leads the payment team in Berlin. Anna leads the payment team in Berlin."


_log = logging.getLogger(__name__)


class Health(StrEnum):
    """Severity of a finding."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Result of one check; `advice` is what to do unless it is OK."""

    name: str
    health: Health
    message: str
    advice: str = ""


async def diagnose(data: Path | None = None) -> list[Finding]:
    """Return all findings; a failed check does not keep the others from running."""
    try:
        settings = read_settings(data)
    except ConfigError as exc:
        advice = "Correct memsieve.toml or the MEMSIEVE_* variable, then look again."
        return [_versions(), _failed("settings", str(exc), advice)]
    embedder, embedding = await _embedder(settings)
    if settings.database_url is None:
        stored = list(_database(settings.data / FILE_NAME, embedder))
    else:
        stored = [finding async for finding in _servers(settings, settings.database_url)]
    findings = [_versions(), *_folder(settings.data), embedding, await _judge(settings), *stored]
    if _readable(stored):
        findings += [finding async for finding in _projects(settings)]
    return findings


def _versions() -> Finding:
    return _ok("versions", f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}.")


def _folder(folder: Path) -> Iterator[Finding]:
    existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as exc:
        reason = exc.strerror or str(exc)
        yield _failed("folder", f"Cannot write in {existing}: {reason}.", "Mend its rights, or choose another --data.")
        return
    yield _ok("folder", f"{folder} is writable." if existing == folder else f"{folder} will be made when needed.")
    free = shutil.disk_usage(existing).free
    message = f"{free / 1e9:.1f} GB free."
    yield _ok("space", message) if free >= LITTLE_SPACE else _warned("space", message, "Free some space soon.")


async def _embedder(settings: Settings) -> tuple[str | None, Finding]:
    began = time.perf_counter()
    try:
        async with _in_temporary_folder(settings) as opened:
            embedder = opened.ingress.decider.embedder
            await embedder.embed([PROBE])
    except MemsieveError as exc:
        return None, _failed("embedder", str(exc), f"Check the setting embedder, now {settings.embedder!r}.")
    milliseconds = (time.perf_counter() - began) * 1000
    message = f"{embedder.name} loaded and embedded a sentence in {milliseconds:.0f} ms."
    return embedder.name, _ok("embedder", message)


async def _judge(settings: Settings) -> Finding:
    local = settings.llm_base_url is None
    began = time.perf_counter()
    try:
        async with _in_temporary_folder(replace(settings, embedder="local")) as opened:
            await opened.ingress.decider.judge.consistent(ALIKE if local else PROBE)
    except MemsieveError as exc:
        advice = "Reinstall memsieve." if local else "Check llm_base_url, llm_model and llm_api_key."
        return _failed("judge", str(exc), f"{advice} Until then entries wait in quarantine.")
    name = "The local judge (no LLM is configured)" if local else settings.llm_model
    return _ok("judge", f"{name} gave a verdict in {time.perf_counter() - began:.1f} s.")


@asynccontextmanager
async def _in_temporary_folder(settings: Settings) -> AsyncIterator[Services]:
    """Open a memory with these settings in a temporary folder: the real one may be broken."""
    with tempfile.TemporaryDirectory() as folder:
        alone = replace(settings, data=Path(folder), database_url=None, redis_url=None, spool=False)
        async with open_services(alone, jobs=False) as opened:
            yield opened


async def readiness(settings: Settings, opened: Services) -> list[Finding]:
    """Return whether an open memory can serve; quickly, and without the addresses of its servers."""
    checks = [_answering(opened), _whole_schema(settings)]
    if settings.database_url is not None:
        checks.append(_working(opened))
    return await asyncio.gather(*checks)


async def embedding(opened: Services) -> Finding:
    """Return whether the embedder of an open memory works; a remote one is called, which may cost something."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            await opened.ingress.decider.embedder.embed([PROBE])
    except (MemsieveError, TimeoutError):
        advice = "Entries wait for their decision, and queries go by words alone. See why: memsieve doctor"
        return _warned("embedder", "It makes no vectors.", advice)
    return _ok("embedder", "It makes vectors.")


async def _answering(opened: Services) -> Finding:
    failing = _failed("database", "It does not answer.", "See that it is up: memsieve doctor")
    try:
        async with asyncio.timeout(READY_SECONDS):
            await opened.statistics.waiting()
            failing = _failed("database", "It takes no writes.", "See that its disk has room: memsieve doctor")
            await opened.probe()
    except (MemsieveError, TimeoutError) as exc:
        # The answer does not reveal the address; the log is for operators.
        _log.warning("The database is not ready: %s: %s", type(exc).__name__, exc)
        return failing
    return _ok("database", "It answers, and takes writes.")


async def _whole_schema(settings: Settings) -> Finding:
    try:
        async with asyncio.timeout(READY_SECONDS):
            if settings.database_url is None:
                return _schema(await asyncio.to_thread(examine, settings.data / FILE_NAME, None, whole=False))
            return _complete(await _missing(settings.database_url))
    except (MemsieveError, TimeoutError):
        return _failed("schema", "It could not be read.", "See that the database is up: memsieve doctor")


async def _missing(database_url: str) -> Sequence[str]:
    from memsieve.stores.postgres.health import examine as examine_database

    return (await examine_database(database_url)).missing


async def _working(opened: Services) -> Finding:
    try:
        async with asyncio.timeout(READY_SECONDS):
            await opened.working.list(Scope.system(SERVER_PROJECT))
    except (MemsieveError, TimeoutError):
        advice = "Recording goes on, and queries are answered from long-term memory. Start Redis again."
        return _warned("redis", "It does not answer.", advice)
    return _ok("redis", "It answers.")


def _readable(stored: list[Finding]) -> bool:
    """Return whether projects can be checked without changing anything: opening an older file upgrades it."""
    health = {finding.name: finding.health for finding in stored}
    return health.get("database") is Health.OK and health.get("schema") is Health.OK


def _database(file: Path, embedder: str | None) -> Iterator[Finding]:
    if not file.exists():
        yield _ok("database", f"{file} does not exist yet; the first command makes it.")
        return
    found = examine(file, embedder)
    if found.damage is not None:
        advice = f"Put a backup in its place, or move {file.name} away to begin a new memory."
        yield _failed("database", f"{file} is damaged: {found.damage}.", advice)
        return
    yield _ok("database", f"{file} opens and is whole ({file.stat().st_size / 1e6:.1f} MB).")
    schema = _schema(found)
    yield schema
    if embedder is not None and schema.health is Health.OK:
        yield _vectors(found.stale_texts, embedder)


async def _servers(settings: Settings, database_url: str) -> AsyncIterator[Finding]:
    from memsieve.stores.postgres.health import examine as examine_database

    try:
        found = await examine_database(database_url)
    except MemsieveError as exc:
        yield _failed("database", str(exc), "See that the server is up and that MEMSIEVE_DATABASE_URL is right.")
        return
    yield _ok("database", f"PostgreSQL {found.server} with pgvector {found.pgvector or '(not there yet)'} answers.")
    schema = _complete(found.missing)
    yield schema
    if schema.health is not Health.OK:
        return
    if found.without_roles:
        roles = ", ".join(found.without_roles)
        advice = "Intended where an interface needs no more; else GRANT them to the user."
        yield _warned("roles", f"User {found.user} cannot act as {roles}.", advice)
    for index in found.indexes:
        yield _index(index)
    async for finding in _on_servers(settings):
        yield finding


async def _on_servers(settings: Settings) -> AsyncIterator[Finding]:
    try:
        async with open_services(settings, jobs=False) as opened:
            stale, name = await opened.reembedder.vectors.stale(), opened.reembedder.embedder.name
    except StoreUnavailable as exc:
        advice = "Recording goes on, and queries are answered from long-term memory. Start Redis again."
        yield _failed("redis", str(exc), advice)
        return
    yield _ok("redis", "Redis answers.")
    yield _vectors(stale, name)


def _index(found: IndexHealth) -> Finding:
    name, message = f"index of {found.embedder}", f"It finds {found.recall:.1%} of the nearest memories"
    if found.used:
        return _ok(name, f"{message}.")
    advice = "Nothing to do: answers are right, and take longer in large projects. Another embedder may suit an index."
    return _warned(name, f"{message}, which is too few: every vector is compared instead.", advice)


def _complete(missing: Sequence[str]) -> Finding:
    if missing:
        return _failed("schema", f"The database lacks {', '.join(missing)}.", "Make a backup, then: memsieve migrate")
    return _ok("schema", "The newest.")


def _schema(found: FileHealth) -> Finding:
    if found.schema > found.newest_schema:
        message = f"The database is at schema {found.schema}, this memsieve knows {found.newest_schema}."
        return _failed("schema", message, "Install a newer memsieve.")
    if found.schema < found.newest_schema:
        message = f"The database is at schema {found.schema} of {found.newest_schema}."
        return _warned("schema", message, "The next command brings it up.")
    return _ok("schema", f"Schema {found.schema}, the newest.")


def _vectors(stale_texts: int, embedder: str) -> Finding:
    if not stale_texts:
        return _ok("vectors", f"Every vector was made by {embedder}.")
    message = f"{stale_texts} texts were embedded by another embedder than {embedder}."
    return _warned("vectors", message, "They are found by their words only. Make their vectors again: memsieve reembed")


async def _projects(settings: Settings) -> AsyncIterator[Finding]:
    try:
        async with open_services(settings, jobs=False) as opened:
            projects = await opened.statistics.projects()
            for name in await _logs(opened, projects):
                yield await _audit(opened, name)
            for name in projects:
                async for finding in _undecided(opened, name):
                    yield finding
    except MemsieveError as exc:
        yield _failed("projects", str(exc), "Mend what is reported above, then look again.")


async def _logs(opened: Services, projects: list[str]) -> list[str]:
    """Return the projects that have audit logs, also those with keys alone, and the server's own."""
    try:
        of_keys = {key.audited_in for key in await opened.keys.list()}
    except Forbidden:
        # A database user without rights on keys.
        of_keys = set()
    server = Scope.person(SERVER_PROJECT, "doctor")
    of_server = {SERVER_PROJECT} if await opened.auditor.audit.head(server) else set()
    return sorted({*projects, *of_keys, *of_server})


async def _audit(opened: Services, project_id: str) -> Finding:
    audit = await opened.auditor.verify(Scope.person(project_id, "doctor"))
    name = f"audit of {project_id}"
    if audit.whole:
        return _ok(name, f"{audit.events} lines, an unbroken chain.")
    message = f"{len(audit.problems)} problems; the first: {audit.problems[0]}"
    return _failed(name, message, f"See them all: memsieve audit verify --project {project_id}")


async def _undecided(opened: Services, project_id: str) -> AsyncIterator[Finding]:
    stats = await opened.statistics.stats(Scope.system(project_id))
    if stats.pending:
        message = f"{stats.pending} entries wait for a decision."
        yield _warned(f"waiting in {project_id}", message, f"Decide on them: memsieve retry --project {project_id}")


def _ok(name: str, message: str) -> Finding:
    return Finding(name=name, health=Health.OK, message=message)


def _warned(name: str, message: str, advice: str) -> Finding:
    return Finding(name=name, health=Health.WARN, message=message, advice=advice)


def _failed(name: str, message: str, advice: str) -> Finding:
    return Finding(name=name, health=Health.FAIL, message=message, advice=advice)
