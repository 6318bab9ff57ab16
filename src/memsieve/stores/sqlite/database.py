"""One SQLite file: its connections, its transactions, and its errors in memsieve's words."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from memsieve.errors import ConfigError, Conflict, MemsieveError, StoreCorrupt, StoreUnavailable
from memsieve.stores.sqlite.migrate import migrate

FILE_NAME = "memsieve.db"
BUSY_SECONDS = 10.0
THREADS = 4
CACHE_KIBIBYTES = 32 * 1024
AT_ONCE_IN_A_ROW = 200
# How long a probe waits for another writer, and how often it looks.
PROBE_SECONDS = 0.2
_PROBE_PAUSE = 0.01
# One page may still be written where an entry and all that belongs to it has no room.
LEAST_ROOM = 64 * 1024

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class _Busy(Exception):
    """Somebody else is at the file."""


class Database:
    """Runs work on one SQLite file in a few threads, each with its own connection."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="memsieve-sqlite")
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._here: sqlite3.Connection | None = None
        self._written_at_once = 0
        self._writing = threading.Lock()
        # Why the last write failed; before the first one nobody knows whether the file takes writes.
        self._refusal: StoreUnavailable | None = _not_written_yet(self.path)
        _make_folder(folder)
        # Of nobody else's reading, also in a folder that was there; SQLite's own logs have the rights of the file.
        with suppress(OSError):
            self.path.touch(mode=0o600, exist_ok=False)

    async def open(self) -> None:
        """Bring the file's schema up to date."""
        await self._run(migrate)
        with self._translating():
            here = self._connect()
            here.execute("PRAGMA busy_timeout = 0")
            here.execute("PRAGMA synchronous = NORMAL")
            # Copying the log back into the file does wait for the disk: that is left to the threads.
            here.execute("PRAGMA wal_autocheckpoint = 0")
        self._here = here

    async def read(self, work: Work[T], *, short: bool = False) -> T:
        """Run work that only reads, on one snapshot of the file.

        A `short` read, of a few rows, is done at once: handing it to another thread takes longer than reading.
        """
        if short:
            with suppress(_Busy):
                return self._at_once("BEGIN", work)
        return await self._run(lambda connection: _in_transaction(connection, "BEGIN", work))

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        """Run work in one transaction, on disk before this returns.

        Without `durable` it survives a crash of this process, but a power cut may take the last moments. Such a write
        waits for no disk, so it is done at once unless somebody else is writing.
        """
        if not durable:
            with suppress(_Busy):
                return self._write_at_once(work)
        return await self._run(lambda connection: self._write(connection, work, "FULL" if durable else "NORMAL"))

    async def probe(self) -> None:
        """Look for room and write one page as it is; raise StoreUnavailable where the file takes no writes.

        It waits no longer than `PROBE_SECONDS` for another writer. If that one goes on, the last write or probe of this
        process decides; without any the file counts as one that takes no writes.
        """
        if shutil.disk_usage(self.path.parent).free < LEAST_ROOM:
            raise _no_room(self.path, "almost no room is left")
        give_up = time.monotonic() + PROBE_SECONDS
        while not await self._wrote_a_page():
            if time.monotonic() > give_up:
                if self._refusal is not None:
                    raise _again(self._refusal)
                return
            await asyncio.sleep(_PROBE_PAUSE)

    async def _wrote_a_page(self) -> bool:
        """Write a page unless somebody else is writing; False if so."""
        with suppress(_Busy):
            self._write_at_once(_write_a_page)
            return True
        if self._written_at_once == 0:
            await self._run(lambda connection: self._write(connection, _write_a_page, "NORMAL"))
            return True
        return False

    async def close(self) -> None:
        """Finish what is running and close the file."""
        self._here = None
        # Not in another thread: while the interpreter ends, none can be had.
        self._threads.shutdown()
        for connection in self._connections:
            connection.close()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Note whether the file took a write."""
        try:
            yield
        except StoreUnavailable as exc:
            self._refusal = _again(exc)
            raise
        self._refusal = None

    def _write_at_once(self, work: Work[T]) -> T:
        """Write if nobody else does; now and then a thread must write, and with it tidy the log."""
        self._written_at_once = (self._written_at_once + 1) % AT_ONCE_IN_A_ROW
        if self._written_at_once == 0 or not self._writing.acquire(blocking=False):
            raise _Busy
        try:
            with self._noting():
                return self._at_once("BEGIN IMMEDIATE", work)
        finally:
            self._writing.release()

    def _at_once(self, begin: str, work: Work[T]) -> T:
        """Run work on the event loop's own connection, which waits for nobody."""
        if self._here is None:
            raise _Busy
        with self._translating():
            try:
                return _in_transaction(self._here, begin, work)
            except sqlite3.OperationalError as exc:
                if _is_busy(exc):
                    raise _Busy from exc
                raise

    async def _run(self, work: Work[T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._translated, work)
        except RuntimeError as exc:
            if "shutdown" not in str(exc):
                raise
            raise StoreUnavailable("This memory is closed. Open it again to go on.") from exc

    def _translated(self, work: Work[T]) -> T:
        with self._translating():
            return work(self._connection())

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as exc:
            raise _in_our_words(exc, self.path) from exc

    def _write(self, connection: sqlite3.Connection, work: Work[T], synchronous: str) -> T:
        with self._writing, self._noting(), self._translating():
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            return _in_transaction(connection, "BEGIN IMMEDIATE", work)

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connect()
        connection: sqlite3.Connection = self._local.connection
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._connections.append(connection)
        connection.row_factory = sqlite3.Row
        _keep_a_log(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIBIBYTES}")
        return connection


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Write ahead into a log. SQLite itself does not wait where another process reads or switches a new file."""
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as exc:
            if not _is_busy(exc) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return


def _write_a_page(connection: sqlite3.Connection) -> None:
    """Write the file's first page again: what is rolled back would never come near the disk."""
    [version] = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(f"PRAGMA user_version = {int(version)}")


def _is_busy(exc: sqlite3.OperationalError) -> bool:
    return exc.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _in_transaction(connection: sqlite3.Connection, begin: str, work: Work[T]) -> T:
    with _transaction(connection, begin):
        return work(connection)


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, ValueError) as exc:
        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
        raise ConfigError(
            f"Cannot make the data folder {str(folder)!r}: {why}. Choose another with --data or MEMSIEVE_DATA."
        ) from exc


def _again(exc: StoreUnavailable) -> StoreUnavailable:
    """Return the same error without what it was raised in."""
    return StoreUnavailable(str(exc), public=exc.public)


def _not_written_yet(path: Path) -> StoreUnavailable:
    return StoreUnavailable(
        f"Another process is writing to {path}, and this one has written nothing yet: whether it can is not known. Try "
        "again.",
        public="Another process holds the database.",
    )


def _no_room(path: Path, why: object) -> StoreUnavailable:
    return StoreUnavailable(
        f"The disk with {path} is full or failed ({why}): nothing was written. Free some space and try again.",
        public="The disk of the database is full or failed: nothing was written.",
    )


def _in_our_words(exc: sqlite3.Error, path: Path) -> MemsieveError:
    code = getattr(exc, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return _no_room(path, exc)
        case sqlite3.SQLITE_CONSTRAINT:
            return Conflict(f"The database refused, and nothing was written: {exc}.")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreCorrupt(
                f"{path} is damaged ({exc}). Nothing was changed: put a backup in its place, or move it away to begin "
                "a new memory; `memsieve doctor` says more.",
                public="The database is damaged.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreUnavailable(
                f"Cannot write {path} ({exc}). Check the folder's rights, or choose another with --data or "
                "MEMSIEVE_DATA.",
                public="The database cannot be written.",
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreUnavailable(
                f"Another process has held {path} for {BUSY_SECONDS:.0f} seconds. Nothing was written: try again.",
                public="Another process holds the database: nothing was written.",
            )
    return StoreUnavailable(f"{path} refused: {exc}.", public="The database refused.")
