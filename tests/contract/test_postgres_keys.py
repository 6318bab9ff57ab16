"""Users of PostgreSQL who may keep keys and nothing else, and who may do all else but that."""

from contextlib import contextmanager

import psycopg
import pytest

from memsieve.errors import Forbidden
from memsieve.stores.postgres.database import Database
from memsieve.stores.postgres.health import examine
from memsieve.stores.postgres.keys import PostgresKeys
from memsieve.stores.postgres.logs import PostgresAuditLog
from memsieve.testing.factories import NOW, api_key, person

OTHERS = ("memsieve_agent", "memsieve_filter", "memsieve_reviewer")


@pytest.fixture(params=["18", "16"])
def url(request):
    with request.getfixturevalue(f"databases_{request.param}").copy() as address:
        yield address


@contextmanager
def login(url, *roles):
    """Lend the address of a user who is a member of these roles."""
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute(f"CREATE ROLE somebody LOGIN; GRANT {', '.join(roles)} TO somebody")
        try:
            yield url.replace("postgres@", "somebody@")
        finally:
            superuser.execute("DROP ROLE somebody")


@contextmanager
def opened(url, run):
    database = Database(url)
    run(database.open())
    try:
        yield database
    finally:
        run(database.close())


def test_one_who_is_only_the_keeper_keeps_keys_and_reads_nothing_else(url, run):
    with login(url, "memsieve_keeper") as address, opened(address, run) as database:
        keys = PostgresKeys(database)
        run(keys.add(api_key(), bytes(32)))
        run(keys.used("3f9k2m7q", NOW))
        assert run(keys.revoke("3f9k2m7q", "bob", NOW)) == run(keys.list())[0]
        with pytest.raises(Forbidden):
            run(PostgresAuditLog(database).events(person()))


def test_one_who_is_not_the_keeper_is_told_which_role_is_missing(url, run):
    with login(url, *OTHERS) as address, opened(address, run) as database:
        keys = PostgresKeys(database)
        for deed in (
            keys.get("3f9k2m7q"),
            keys.list(),
            keys.add(api_key(), bytes(32)),
            keys.used("3f9k2m7q", NOW),
        ):
            with pytest.raises(Forbidden, match="memsieve_keeper"):
                run(deed)
        assert run(PostgresAuditLog(database).events(person())) == []


def test_the_doctor_finds_the_roles_that_each_of_them_lacks(url, run):
    with login(url, "memsieve_keeper") as address:
        assert run(examine(address)).without_roles == OTHERS
    with login(url, *OTHERS) as address:
        assert run(examine(address)).without_roles == ("memsieve_keeper",)
