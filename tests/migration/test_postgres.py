"""A PostgreSQL database goes from version to version, whole or not at all, and never by itself."""

import asyncio
import hashlib
import json
import subprocess
import sys
from datetime import timedelta

import psycopg
import pytest

from memsieve.errors import MemsieveError, SchemaOutdated
from memsieve.model import EntryFilter, ReviewStatus
from memsieve.review.audit import Auditor
from memsieve.stores.audit import AuditDraft, chained
from memsieve.stores.migrations import Migration
from memsieve.stores.postgres.database import Database
from memsieve.stores.postgres.digests import PostgresDigests
from memsieve.stores.postgres.logs import PostgresAuditLog, PostgresServingLog
from memsieve.stores.postgres.longterm import PostgresLongTerm
from memsieve.stores.postgres.migrate import migrate, outstanding, released
from memsieve.stores.postgres.quarantine import PostgresQuarantine
from memsieve.stores.postgres.tombstones import PostgresTombstones
from memsieve.stores.postgres.vectors import PostgresVectors
from memsieve.stores.rows import content_hash
from memsieve.testing.factories import NOW, approval, digest, insight, person, system
from memsieve.text.tokenize import tokenize

# A released migration is never edited: whoever has applied it would keep the old one. Add a new one instead.
CHECKSUMS = {
    "0001_tiers.sql": "60bdf3e69d228e6032d031c4e2ce98bc3fb937ae4fae31d132839693c76cdde6",
    "0002_search.sql": "d7357a02d08c82fcd2f5a4321073070cebb1b20dbc9ccc037ac85d80406305fe",
    "0003_digests.sql": "15d817a865a2a6e95598c6748fdaca97317c052651146bfff0459e9d02a0260f",
    "0004_keys.sql": "05c9178239d828a7ef11bbfb12a506d7be4356a8810f4b9fb67ed06ad9700c92",
    "0005_happenings.sql": "850cb8ed9c49b88f5bf2a4c15c692e044fcc610b281d88ece181cb1ecc6d67a3",
    "0006_together.sql": "e5d18acafc6e2a7206cf2a95369343e7f42860e7ce0acb127a9eb5630a053890",
    "0007_places.sql": "bb4972f5e9c10409f67f950475810f6884520ec6e7049bf714e96ba4c3230880",
    "0008_counts.sql": "767e1ce4166f2e66aadf174755df4937e47f6ef5f6f9a45a242d960654d36914",
    "0009_passages.sql": "53c422ce84d1598a767156609aa8fdd0ea611f2dfbdae92e58d9e66b61acc58c",
}
NEWER = Migration(
    len(released()) + 1,
    "9999_newer.sql",
    "CREATE TABLE later (id text PRIMARY KEY);\nINSERT INTO later VALUES ('a;b');\n",
)
SAID = {"promoted": "The fleet has nine ships.", "dismissed": "The fleet has no ships.", "open": "A ship was sold."}
KEPT = ("The fleet has nine ships.", "舰队有九艘船。", "The harbour is closed.")
FILL = {
    "quarantine_logs": "INSERT INTO quarantine_logs (project_id, id, session_id, content, raw_metadata, created_at,"
    ' idempotency_key, confidence) VALUES (%s, %s, \'s\', %s, \'{"b": 1.50, "a": "ü"}\', %s, %s, 0.7)',
    "decisions": "UPDATE admissions SET decision = 'admitted', checks = '[[\"length\", true, 50.0, \"Long.\"]]',"
    " embedder = 'words', embedding = '[0.6,0.8]' WHERE project_id = %s AND entry_id = %s",
    "audit_log": "INSERT INTO audit_log VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
    "approvals": "INSERT INTO approvals (project_id, id, content, content_hash, promoted_by, promoted_at)"
    " VALUES (%s, %s, %s, %s, 'ada@example.org', %s)",
    "approval_sources": "INSERT INTO approval_sources VALUES (%s, %s, %s)",
    "memories": "INSERT INTO memories (project_id, id, approval_id, position, content, embedder)"
    " VALUES (%s, %s, %s, 0, %s, 'words')",
    "memory_places": "INSERT INTO memory_places SELECT %s, sequence, 's', %s FROM memories WHERE id = %s",
    "retirements": "INSERT INTO retirements VALUES (%s, %s, 'ada@example.org', %s, 'wrong')",
    "tombstones": "INSERT INTO tombstones (project_id, id, kind, source_id, content, content_hash, words, buried_by,"
    " buried_at, reason) VALUES (%s, %s, %s, %s, %s, %s, %s, 'ada@example.org', %s, 'wrong')",
}
TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"


@pytest.fixture(params=["18", "16"])
def databases(request):
    return request.getfixturevalue(f"databases_{request.param}")


@pytest.fixture
def url(databases):
    with databases.empty() as address:
        yield address


@pytest.fixture
def connection(url):
    with psycopg.connect(url, autocommit=True) as superuser:
        yield superuser


def fill(connection, project):
    """Write as the first schema took it: what was said and decided, three memories of which one is retired, graves."""
    connection.execute("SELECT set_config('app.project', %s, false)", (project,))

    def write(table, *values):
        connection.execute(FILL[table], (project, *values))

    for name, content in SAID.items():
        write("quarantine_logs", name, content, NOW, f"key of {name}")
        write("decisions", name)
    texts = [approval(text, person(project)) for text in KEPT]
    deeds = [AuditDraft(action="promoted", subject=one.id, at=NOW, detail={"content": one.digest}) for one in texts]
    deeds.append(AuditDraft(action="dismissed", subject="dismissed", at=NOW, reason="wrong"))
    deeds.append(AuditDraft(action="retired", subject=texts[-1].id, at=NOW, reason="wrong"))
    for line in chained(person(project), None, deeds):
        values = (line.sequence, line.at, line.actor, line.action, line.subject, line.reason, json.dumps(line.detail))
        write("audit_log", *values, line.previous, line.digest)
    for one in texts:
        write("approvals", one.id, one.content, content_hash(one.content), NOW)
        write("memories", f"chunk of {one.id}", one.id, one.content)
    write("approval_sources", texts[0].id, "promoted")
    # Since this schema a memory's place is written with it; before, a migration finds it.
    if "0007_places.sql" in [one.name for one in released() if one.number in applied(connection)]:
        write("memory_places", NOW, f"chunk of {texts[0].id}")
    write("retirements", texts[-1].id, NOW)
    graves = {"dismissed": ("dismissed", SAID["dismissed"]), "retired": (texts[-1].id, KEPT[-1])}
    for kind, (source_id, content) in graves.items():
        write("tombstones", kind, kind, source_id, content, content_hash(content), " ".join(tokenize(content)), NOW)


def columns(connection):
    """Return the columns of each table."""
    tables = [row[0] for row in connection.execute(TABLES) if row[0] != "schema_migrations"]
    return {table: [one.name for one in connection.execute(f"TABLE {table} LIMIT 0").description] for table in tables}


def everything(connection, known):
    return {
        table: connection.execute(f"SELECT ROW({', '.join(names)})::text FROM {table} ORDER BY 1").fetchall()
        for table, names in known.items()
    }


def applied(connection):
    return [row[0] for row in connection.execute("SELECT number FROM schema_migrations ORDER BY number")]


def schema(connection):
    functions = "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    return (
        connection.execute(TABLES).fetchall(),
        connection.execute("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'").fetchall(),
        connection.execute(f"{functions} ORDER BY 1, 2").fetchall(),
    )


def test_released_migrations_are_never_edited():
    assert {one.name: hashlib.sha256(one.sql.encode()).hexdigest() for one in released()} == CHECKSUMS


def test_migrations_are_numbered_without_a_gap():
    assert [one.number for one in released()] == list(range(1, len(released()) + 1))


def test_a_new_database_gets_every_migration_and_twice_changes_nothing(url, connection, run):
    names = [one.name for one in released()]
    assert run(outstanding(url)) == names
    assert run(migrate(url)) == names
    before = schema(connection)
    assert run(migrate(url)) == []
    assert run(outstanding(url)) == []
    assert schema(connection) == before
    assert applied(connection) == [one.number for one in released()]


@pytest.fixture(params=range(1, len(released())))
def older(request, url, connection, run):
    """Fill a database of an older schema."""
    run(migrate(url, released()[: request.param]))
    for project in ("apollo", "gemini"):
        fill(connection, project)
    return url


def test_nothing_that_was_there_is_lost_or_changed(older, connection, run):
    # Which embedder read a memory is said anew where its vector is not there.
    connection.execute("UPDATE memories SET embedder = ''")
    counted = {"memory_words", "word_counts", "project_sizes"}
    known = {table: names for table, names in columns(connection).items() if table not in counted}
    before = everything(connection, known)
    assert before["memories"]
    run(migrate(older))
    assert everything(connection, known) == before


@pytest.fixture
def opened(older, run):
    """Open the database after it was migrated."""
    run(migrate(older))
    database = Database(older)
    run(database.open())
    yield database
    run(database.close())


def test_what_people_decided_still_stands_and_the_hash_chain_is_whole(opened, clock, run):
    quarantine = PostgresQuarantine(opened, "words", clock)
    longterm = PostgresLongTerm(opened, "words", clock)
    tombstones, digests = PostgresTombstones(opened, "words"), PostgresDigests(opened, "words")
    servings, audit = PostgresServingLog(opened, "words"), PostgresAuditLog(opened)
    said = run(quarantine.find(person(), EntryFilter(oldest_first=True)))
    assert [one.review for one in said] == [ReviewStatus.PROMOTED, ReviewStatus.DISMISSED, None]
    assert said[0].entry.metadata == {"b": 1.5, "a": "ü"}
    assert [one.approval.content for one in run(longterm.find(person(), None, 10))] == list(KEPT[:2])
    auditor = Auditor(quarantine=quarantine, longterm=longterm, servings=servings, audit=audit, digests=digests)
    verified = run(auditor.verify(person()))
    assert (verified.events, verified.problems) == (5, ())
    buried = [run(tombstones.nearest(system(), None, tokenize(text), 1)) for text in (SAID["dismissed"], KEPT[-1])]
    assert [[one.content for one in found] for found in buried] == [[SAID["dismissed"]], [KEPT[-1]]]
    [open_one] = run(digests.undecided(system(), NOW - timedelta(days=7)))
    made = insight([open_one.entry])
    assert run(digests.save(person(), digest(made))).insights == (made,)


@pytest.mark.parametrize(("question", "found"), [("nine ships", KEPT[:1]), ("九艘船", KEPT[1:2]), ("harbour", ())])
def test_memories_are_found_by_their_words_and_retired_ones_are_not(opened, clock, run, question, found):
    hits = run(PostgresLongTerm(opened, "words", clock).search(person(), None, tokenize(question), 10))
    assert tuple(hit.content for hit in hits) == found


def test_a_memory_of_one_entry_has_the_place_where_that_was_said(opened, connection):
    places = "SELECT p.project_id, m.content, p.session_id, p.said_at FROM memory_places p JOIN memories m"
    kept = connection.execute(f"{places} USING (project_id, sequence) ORDER BY 1").fetchall()
    assert kept == [(project, KEPT[0], "s", NOW) for project in ("apollo", "gemini")]


def test_memories_without_a_vector_are_there_to_be_embedded(opened, run):
    waiting = run(PostgresVectors(opened, "words", working=None).next_stale(None, 4))
    assert [(text.kind, text.project_id, text.content) for text in waiting] == [
        ("memories", project, text) for project in ("apollo", "gemini") for text in KEPT[:2]
    ]


def test_a_database_that_lacks_a_migration_is_refused_until_somebody_migrates_it(older, clock, connection, run):
    before = schema(connection)
    database = Database(older)
    run(database.open())
    store = PostgresLongTerm(database, "words", clock)
    with pytest.raises(SchemaOutdated, match=rf"lacks .*{released()[-1].name}.*memsieve migrate"):
        run(store.find(person(), None, 10))
    assert schema(connection) == before
    run(migrate(older))
    assert len(run(store.find(person(), None, 10))) == 2
    run(database.close())


def test_a_database_of_a_later_version_is_refused_and_left_alone(url, connection, clock, run):
    run(migrate(url, [*released(), NEWER]))
    before = schema(connection)
    database = Database(url)
    run(database.open())
    with pytest.raises(SchemaOutdated, match="Upgrade memsieve"):
        run(PostgresLongTerm(database, "words", clock).find(person(), None, 10))
    run(database.close())
    with pytest.raises(SchemaOutdated, match="Upgrade memsieve"):
        run(migrate(url))
    assert schema(connection) == before


@pytest.mark.parametrize(
    "broken",
    [
        "CREATE TABLE half (id text);\nINSERT INTO nowhere VALUES (1);\n",
        "CREATE TABLE half (id text);\nCREATE TABLE approvals (id text);\n",
    ],
)
def test_a_failing_migration_leaves_nothing_half_done(url, connection, run, broken):
    run(migrate(url))
    before = schema(connection)
    with pytest.raises(MemsieveError):
        run(migrate(url, [*released(), Migration(NEWER.number, "broken.sql", broken)]))
    assert schema(connection) == before
    assert applied(connection) == [one.number for one in released()]
    assert run(migrate(url, [*released(), NEWER])) == [NEWER.name]


# From which version does not matter to who is first: the oldest, and the one before the newest.
@pytest.mark.parametrize("older", [1, len(released()) - 1], indirect=True)
def test_of_several_processes_that_migrate_at_once_one_does(older, connection):
    code = (
        f"import asyncio; from memsieve.stores.postgres.migrate import migrate; print(asyncio.run(migrate({older!r})))"
    )
    lacking = [one.name for one in released() if one.number not in applied(connection)]
    children = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = sorted(child.communicate(timeout=60) for child in children)
    assert told == sorted([(f"{lacking}\n", ""), ("[]\n", ""), ("[]\n", "")])
    assert applied(connection) == [one.number for one in released()]


# What PostgreSQL gives to whoever may make roles and made these.
ROLES = ("agent", "filter", "reviewer", "keeper", "owner", "search")
MADE_ROLES = f"GRANT {', '.join(f'memsieve_{role}' for role in ROLES)} TO plain"
PLAIN = f"""
CREATE EXTENSION vector; CREATE ROLE plain LOGIN CREATEROLE;
{MADE_ROLES} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO plain', current_database()); END $$;
"""


def test_one_who_owns_the_database_and_is_no_superuser_migrates_it(databases, clock):
    async def found(address):
        await migrate(address)
        database = Database(address)
        await database.open()
        memories = await PostgresLongTerm(database, "words", clock).find(person(), None, 10)
        await database.close()
        return memories

    with databases.copy():  # so that the roles are there
        pass
    with psycopg.connect(databases.server.url, autocommit=True) as superuser:
        with databases.empty() as url:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(PLAIN)
            assert asyncio.run(found(url.replace("postgres@", "plain@"))) == []
        superuser.execute("DROP ROLE plain")


def test_a_database_of_another_encoding_is_refused(databases):
    with psycopg.connect(databases.server.url, autocommit=True) as superuser:
        superuser.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        with pytest.raises(MemsieveError, match="ENCODING 'UTF8'"):
            asyncio.run(migrate(databases.server.database_url("latin")))
        superuser.execute("DROP DATABASE latin")


def test_databases_of_one_server_are_migrated_at_once(databases):
    async def both(*addresses):
        return await asyncio.gather(*(migrate(one) for one in addresses))

    with databases.empty() as one, databases.empty() as two:
        names = [migration.name for migration in released()]
        assert asyncio.run(both(one, two)) == [names, names]
