"""Databases for tests on one PostgreSQL, each a copy of one that was prepared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from memsieve.testing.postgres_server import PostgresServer

_numbers = count(1)


class Databases:
    """Gives each test a database of its own; `prepare` is called once, with the address of the one to be copied."""

    def __init__(self, server: PostgresServer, prepare: Callable[[str], object]) -> None:
        self.server = server
        self._prepare = prepare
        self._prepared = False
        self._template = f"memsieve_template_{next(_numbers)}"

    @contextmanager
    def copy(self) -> Iterator[str]:
        """Lend the address of a prepared database, which is dropped afterwards whoever is still connected."""
        if not self._prepared:
            self._execute(f"DROP DATABASE IF EXISTS {self._template} WITH (FORCE)")
            self._execute(f"CREATE DATABASE {self._template} TEMPLATE template0")
            self._prepare(self.server.database_url(self._template))
            self._prepared = True
        with self._copy_of(self._template) as url:
            yield url

    @contextmanager
    def empty(self) -> Iterator[str]:
        """Lend the address of an empty database; roles belong to the server, so those of `prepare` are there."""
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
