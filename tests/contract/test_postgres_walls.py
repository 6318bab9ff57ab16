"""Attempts to get around the tier rules on PostgreSQL, with psql and the rights of each role."""

import asyncio
import os
import re
import subprocess
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psycopg
import pytest

from memsieve import validate
from memsieve.errors import InvalidInput
from memsieve.model import Dispute, KeyRole, Origin, TombstoneKind
from memsieve.review.audit import Auditor
from memsieve.stores.postgres.database import Database
from memsieve.stores.postgres.digests import PostgresDigests
from memsieve.stores.postgres.keys import PostgresKeys
from memsieve.stores.postgres.logs import PostgresAuditLog, PostgresServingLog
from memsieve.stores.postgres.longterm import PostgresLongTerm
from memsieve.stores.postgres.quarantine import PostgresQuarantine
from memsieve.stores.postgres.tombstones import PostgresTombstones
from memsieve.testing import Clock
from memsieve.testing.factories import (
    NOW,
    admission,
    agent,
    answer,
    api_key,
    approval,
    chunks,
    digest,
    entry,
    insight,
    item,
    person,
    source,
    system,
    tombstone,
)

ROLES = ("memsieve_agent", "memsieve_filter", "memsieve_reviewer", "memsieve_owner", "memsieve_keeper")
REFUSED = 3
# A constraint, a trigger that raises like one, or a right that is not there.
WALL = r"ERROR:  (23\w\w\w|42501): "


@dataclass(frozen=True, kw_only=True)
class Walls:
    """A filled database, and psql for whoever is let in by one of the roles."""

    url: str
    psql: str
    ids: dict[str, str]
    superuser: psycopg.Connection

    def run(self, role, sql, project="apollo", **settings):
        settings = {"app.project": project, **settings}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items() if value is not None)
        named = [part for name, value in self.ids.items() for part in ("-v", f"{name}={value}")]
        command = [
            self.psql,
            "-XAtq",
            "-v",
            "ON_ERROR_STOP=1",
            "-v",
            "VERBOSITY=verbose",
            *named,
            self.url.replace("postgres@", f"as_{role}@"),
        ]
        return subprocess.run(
            command,
            input=sql,
            env={**os.environ, "PGOPTIONS": options},
            capture_output=True,
            text=True,
            check=False,
        )

    def refused(self, role, sql):
        """Return why PostgreSQL refused: by a wall, for a mistake in the attempt proves nothing."""
        done = self.run(role, sql)
        assert done.returncode == REFUSED, done.stdout
        assert re.search(WALL, done.stderr), done.stderr
        return done.stderr

    def ask(self, role, sql, **settings):
        done = self.run(role, sql, **settings)
        assert not done.stderr
        return done.stdout.splitlines()

    def look(self, sql):
        """Ask as the superuser, whom no wall keeps out."""
        return self.superuser.execute(sql).fetchall()

    def everything(self):
        return {table: self.look(f"SELECT * FROM {table}") for [table] in self.look(TABLES)}


TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"


async def fill(url):
    """Put something in every tier of two projects, and return the ids of what is in the first."""
    database = Database(url)
    await database.open()
    quarantine = PostgresQuarantine(database, "words", Clock())
    longterm = PostgresLongTerm(database, "words", Clock())
    tombstones, servings = PostgresTombstones(database, "words"), PostgresServingLog(database, "words")
    digests = PostgresDigests(database, "words")
    for project in ("apollo", "gemini"):
        who = person(project)
        hot, refused, other = (
            entry(content, project_id=project) for content in ("Team gamma answers.", "Too short.", "Short, too.")
        )
        for said in (hot, refused, other):
            await quarantine.add(agent(project), said)
        await quarantine.decide(system(project), hot.id, admission(), hot.embedding)
        place = Origin(session_id="s", at=NOW)
        kept, gone = (approval(f"The board {did} it.", who, origin=place) for did in ("approved", "refused"))
        [chunk] = chunks(kept)
        await longterm.add(who, kept, [chunk])
        await longterm.add(who, gone, chunks(gone))
        buried = tombstone(gone.content, gone.id, TombstoneKind.RETIRED, who)
        await longterm.retire(who, gone.id, "wrong", [buried])
        dispute = Dispute(first_id=other.id, first_quote="a", second_id=refused.id, second_quote="b", difference="all")
        first = insight(
            [source(other), source(refused)], "Team gamma answers.", disputes=(dispute,), project_id=project
        )
        second = insight([other], "Nobody answers.", project_id=project)
        waits = insight([other, refused], "Somebody answers.", project_id=project)
        await digests.save(system(project), digest(first, second, waits, project_id=project))
        raised = approval(first.summary, who, insight_id=first.id)
        await longterm.add(who, raised, chunks(raised))
        await tombstones.add(who, tombstone(second.summary, second.id, scope=who))
        await servings.log_answer(agent(project), answer([item(chunk.id, chunk.content)]))
        if project == "apollo":
            found = {"hot": hot, "refused": refused, "other": other, "kept": kept, "gone": gone, "chunk": chunk}
            found |= {"first": first, "second": second, "waits": waits, "raised": raised}
            found |= {"key": api_key(), "revoked": api_key("1revoked")}
    await fill_keys(PostgresKeys(database))
    await database.close()
    return {name: one.id for name, one in found.items()} | {"new": str(uuid.uuid4()), "hash": "\\x" + "11" * 32}


async def fill_keys(keys):
    """Make a key for each project and one for all, and one that is revoked."""
    admin = api_key("2admin00", role=KeyRole.ADMIN, project_id=None)
    for key in (api_key(), api_key("1revoked"), api_key("3gemini0", project_id="gemini"), admin):
        await keys.add(key, bytes(32))
    await keys.revoke("1revoked", "bob", api_key().made_at)


LOGINS = "".join(
    f"DROP ROLE IF EXISTS as_{role}; CREATE ROLE as_{role} LOGIN; GRANT {role} TO as_{role};" for role in ROLES
)


@pytest.fixture(scope="module", params=["18", "16"])
def server(request):
    """Lend the databases of a server that lets in a user for each role."""
    databases = request.getfixturevalue(f"databases_{request.param}")
    with databases.copy() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(LOGINS)
    yield databases
    with psycopg.connect(databases.server.url, autocommit=True) as connection:
        connection.execute("".join(f"DROP ROLE as_{role};" for role in ROLES))


@contextmanager
def filled(databases):
    with databases.copy() as url, psycopg.connect(url, autocommit=True) as superuser:
        yield Walls(url=url, psql=str(databases.server.psql), ids=asyncio.run(fill(url)), superuser=superuser)


@pytest.fixture(scope="module")
def shared(server):
    """Lend a filled database that no test changes."""
    with filled(server) as walls:
        yield walls


@pytest.fixture
def own(server):
    """Lend a filled database that a test may change."""
    with filled(server) as walls:
        yield walls


SAID = "quarantine_logs (project_id, id, session_id, content, raw_metadata, created_at)"
CHUNK = "memories (project_id, id, approval_id, position, content)"
APPROVAL = "approvals (project_id, id, content, content_hash, promoted_by, promoted_at)"
LINE = "audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)"
GRAVE = "tombstones (project_id, id, kind, source_id, content, content_hash, words, buried_by, buried_at, reason)"
INSIGHT = "insights (project_id, id, content, summarised_by, refinement, disputes, made_at, review, settled_by, "
BEHIND = "insight_sources (project_id, insight_id, entry_id, position, quote, later)"
SETTLE = (
    "UPDATE insights SET review = '{}', settled_by = '{}', settled_at = now(), reason = '', memory_id = {} WHERE id = "
)
NEXT_LINE = f"INSERT INTO {LINE} SELECT 'apollo', max(sequence) + 1, now(), 'mallory', "
DIGEST = "repeat('d', 64)"
LAST = "SELECT digest FROM audit_log ORDER BY sequence DESC LIMIT 1"

# What nobody may do, whatever rights they have on the table: not a reviewer, and not even its owner.
NEVER = {
    "a memory without approval": f"INSERT INTO {CHUNK} VALUES ('apollo', :'new', 'nobody', 0, 'Made up.')",
    "a memory that is no part of its approval": f"INSERT INTO {CHUNK} VALUES ('apollo', :'new', :'kept', 9, 'Lies.')",
    "a memory in another project": f"INSERT INTO {CHUNK} VALUES ('gemini', :'new', :'kept', 0, 'The board')",
    "a memory in another wording": "UPDATE memories SET content = 'Made up.'",
    "a memory under another approval": "UPDATE memories SET approval_id = :'gone'",
    "a memory in another wording on conflict": f"INSERT INTO {CHUNK} VALUES ('apollo', :'chunk', :'kept', 0, 'The')"
    " ON CONFLICT (project_id, id) DO UPDATE SET content = excluded.content",
    "a memory removed": "DELETE FROM memories",
    "memory emptied": "TRUNCATE memories CASCADE",
    "words of no memory": "INSERT INTO memory_words VALUES ('apollo', 99, now(), false, 1, '{1}', '{1:1}/1000000000')",
    "a place of no memory": "INSERT INTO memory_places VALUES ('apollo', 99, 's', now())",
    "another place": "UPDATE memory_places SET session_id = 't'",
    "words of another memory": "UPDATE memory_words SET sequence = sequence + 1",
    "a vector of no memory": "INSERT INTO memory_vectors VALUES ('apollo', 99, 'words', now(), false, '[1]')",
    "a vector of another memory": "UPDATE memory_vectors SET sequence = sequence + 1",
    "an approval in another wording": "UPDATE approvals SET content = 'Made up.'",
    "an approval in another name": "UPDATE approvals SET promoted_by = 'mallory'",
    "an approval removed": "DELETE FROM approvals",
    "an approval by nobody": f"INSERT INTO {APPROVAL} VALUES ('apollo', :'new', 'Made up.', 'h', ' ', now())",
    "an approval without its line": f"INSERT INTO {APPROVAL} VALUES ('apollo', :'new', 'Lies.', 'h', 'ada', now())",
    "a retirement undone": "DELETE FROM retirements",
    "a retirement changed": "UPDATE retirements SET retired_by = 'mallory'",
    "an audit line changed": "UPDATE audit_log SET actor = 'mallory'",
    "an audit line removed": "DELETE FROM audit_log WHERE sequence = 1",
    "the last audit line removed": "DELETE FROM audit_log WHERE sequence = (SELECT max(sequence) FROM audit_log)",
    "the audit log emptied": "TRUNCATE audit_log",
    "an audit line over another": f"INSERT INTO {LINE} SELECT * FROM audit_log WHERE sequence = 1",
    "an audit line after a gap": f"INSERT INTO {LINE} SELECT 'apollo', max(sequence) + 2, now(), 'm', 'x', 'x', '', "
    f"'{{}}', ({LAST}), {DIGEST} FROM audit_log",
    "an audit line out of the chain": f"{NEXT_LINE} 'x', 'x', '', '{{}}', {DIGEST}, {DIGEST} FROM audit_log",
    "another content in quarantine": "UPDATE quarantine_logs SET content = 'Made up.'",
    "another confidence in quarantine": "UPDATE quarantine_logs SET confidence = 1.0",
    "quarantine deleted without a line": "DELETE FROM quarantine_logs WHERE id = :'hot'",
    "quarantine deleted without a line from under an insight": "DELETE FROM quarantine_logs WHERE id = :'refused'",
    "a tombstone removed": "DELETE FROM tombstones",
    "a tombstone of another content": "UPDATE tombstones SET content = 'Made up.'",
    "a tombstone that was lifted and stands again": "BEGIN; UPDATE tombstones SET lifted_at = now();"
    " UPDATE tombstones SET lifted_at = NULL",
    "another content with a tombstone's vector": "UPDATE tombstones SET embedder = 'x', content = 'b'",
    "an insight promoted by nobody": SETTLE.format("promoted", "mallory", "NULL") + ":'waits'",
    "an insight promoted to nothing": SETTLE.format("promoted", "ada@example.org", "'x'") + ":'waits'",
    "an insight promoted by another approval": SETTLE.format("promoted", "ada@example.org", ":'kept'") + ":'waits'",
    "an insight promoted by another's": SETTLE.format("promoted", "ada@example.org", ":'raised'") + ":'waits'",
    "an insight promoted in another name": SETTLE.format("promoted", "bob", ":'raised'") + ":'waits'",
    "an insight dismissed without a line": SETTLE.format("dismissed", "ada@example.org", "NULL") + ":'waits'",
    "an insight dismissed by no one": SETTLE.format("dismissed", " ", "NULL") + ":'waits'",
    "an insight retired": SETTLE.format("retired", "ada@example.org", "NULL") + ":'waits'",
    "a promoted insight dismissed": SETTLE.format("dismissed", "ada@example.org", "NULL") + ":'first'",
    "a dismissed insight promoted": SETTLE.format("promoted", "ada@example.org", ":'raised'") + ":'second'",
    "a decision taken back": "UPDATE insights SET review = NULL, settled_by = NULL, settled_at = NULL, reason = NULL",
    "a decision in another name": "UPDATE insights SET settled_by = 'mallory' WHERE id = :'first'",
    "a decision at another time": "UPDATE insights SET settled_at = now() WHERE id = :'first'",
    "a decision for another reason": "UPDATE insights SET reason = 'x' WHERE id = :'second'",
    "a decision to another memory": "UPDATE insights SET memory_id = :'kept' WHERE id = :'first'",
    "a decided insight in another wording": "UPDATE insights SET content = 'Made up.' WHERE id = :'second'",
    "another wording with an insight's vector": "UPDATE insights SET embedder = 'x', content = 'b' WHERE id = :'first'",
    "a decided insight without its disputes": "UPDATE insights SET disputes = '[]' WHERE id = :'first'",
    "a decided insight removed": "DELETE FROM insights WHERE id = :'first'",
    "insights emptied": "TRUNCATE insights CASCADE",
    "an insight under another id": "UPDATE insights SET id = :'new' WHERE id = :'waits'",
    "an insight that was decided from the first": f"INSERT INTO {INSIGHT} settled_at, reason) VALUES "
    "('apollo', :'new', 'x', '', '{}', '[]', now(), 'dismissed', 'ada@example.org', now(), '')",
    "another source of a decided insight": f"INSERT INTO {BEHIND} VALUES "
    "('apollo', :'second', :'refused', 9, 'x', false)",
    "a source taken from a decided insight": "DELETE FROM insight_sources WHERE insight_id = :'first'",
    "another quote": "UPDATE insight_sources SET quote = 'Made up.' WHERE insight_id = :'first'",
    "a source that nobody said": f"INSERT INTO {BEHIND} VALUES ('apollo', :'waits', :'new', 9, 'x', false)",
    "an entry in another project": f"INSERT INTO {SAID} VALUES ('gemini', :'new', 's', 'Lies.', '{{}}', now())",
    "a tombstone in another project": f"INSERT INTO {GRAVE} VALUES ('gemini', :'new', 'retired', 'x', 'x', 'x', '', "
    "'ada', now(), '')",
    "an audit line in another project": f"INSERT INTO {LINE} VALUES ('gemini', 99, now(), 'a', 'x', 'x', '', '{{}}', "
    f"{DIGEST}, {DIGEST})",
}

KEY = "api_keys (id, name, role, project_id, secret_hash, made_at, made_by) VALUES"
KEY_LINE = f"INSERT INTO {LINE} SELECT 'apollo', max(sequence) + 1, now(), 'mallory', 'key made', '5newkey0', '', "
KEY_LINE += f"'{{}}', ({LAST}), {DIGEST} FROM audit_log;"
# What nobody may do with keys: not their keeper, and not even the owner.
NEVER_WITH_KEYS = {
    "a key without its line": f"INSERT INTO {KEY} ('5newkey0', 'm', 'agent', 'apollo', :'hash', now(), 'mallory')",
    "a key by another's line": f"INSERT INTO {KEY} ('5newkey0', 'm', 'agent', 'apollo', :'hash', now(), 'ada')",
    "a key by another project's line": f"BEGIN; {KEY_LINE} INSERT INTO {KEY} "
    "('5newkey0', 'm', 'agent', 'gemini', :'hash', now(), 'mallory')",
    "an admin's key by a project's line": f"BEGIN; {KEY_LINE} INSERT INTO {KEY} "
    "('5newkey0', 'm', 'admin', NULL, :'hash', now(), 'mallory')",
    "an admin's key with a project": f"BEGIN; {KEY_LINE} INSERT INTO {KEY} "
    "('5newkey0', 'm', 'admin', 'apollo', :'hash', now(), 'mallory')",
    "a key without a project": "UPDATE api_keys SET project_id = NULL WHERE id = :'key'",
    "a key of another project": "UPDATE api_keys SET project_id = 'voyager' WHERE id = :'key'",
    "a key of another role": "UPDATE api_keys SET role = 'reviewer' WHERE id = :'key'",
    "a key with another secret": "UPDATE api_keys SET secret_hash = :'hash' WHERE id = :'key'",
    "a key of another name": "UPDATE api_keys SET name = 'ada' WHERE id = :'key'",
    "a key under another id": "UPDATE api_keys SET id = '5newkey0' WHERE id = :'key'",
    "a key in the place of another": f"INSERT INTO {KEY} (:'key', 'm', 'agent', 'apollo', :'hash', now(), 'ada')"
    " ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash",
    "a key revoked without a line": "UPDATE api_keys SET revoked_at = now(), revoked_by = 'ada' WHERE id = :'key'",
    "a key revoked by nobody": "UPDATE api_keys SET revoked_at = now() WHERE id = :'key'",
    "a revoked key that opens again": "UPDATE api_keys SET revoked_at = NULL, revoked_by = NULL WHERE id = :'revoked'",
    "a key revoked by another": "UPDATE api_keys SET revoked_by = 'mallory' WHERE id = :'revoked'",
    "a key removed": "DELETE FROM api_keys WHERE id = :'key'",
    "keys emptied": "TRUNCATE api_keys",
}


# What a role may not do, though another may.
NOT_FOR = {
    "memsieve_agent": {
        "read keys": "SELECT id FROM api_keys",
        "become the keeper": "SET ROLE memsieve_keeper",
        "read quarantine": "SELECT content FROM quarantine_logs",
        "count quarantine": "SELECT count(*) FROM quarantine_logs",
        "copy quarantine": "COPY quarantine_logs TO STDOUT",
        "read what was recorded back": f"INSERT INTO {SAID} VALUES ('apollo', :'new', 's', 'x', '{{}}', now())"
        " RETURNING id",
        "find out what was recorded": f"INSERT INTO {SAID} VALUES ('apollo', :'hot', 's', 'x', '{{}}', now())"
        " ON CONFLICT (project_id, id) DO UPDATE SET content = 'x' WHERE quarantine_logs.content LIKE 'Team%'",
        "choose an entry's place": "INSERT INTO quarantine_logs (sequence, project_id, id, session_id, content,"
        " raw_metadata, created_at) OVERRIDING SYSTEM VALUE"
        " VALUES (9223372036854775807, 'apollo', :'new', 's', 'x', '{}', now())",
        "choose a serving's place": "INSERT INTO served (sequence, project_id, answer_id, item_id, source, score)"
        " OVERRIDING SYSTEM VALUE VALUES (9223372036854775807, 'apollo', 'a', 'i', 'hot', 1)",
        "read decisions": "SELECT decision FROM admissions",
        "admit": "UPDATE admissions SET decision = 'admitted'",
        "delete from quarantine": "DELETE FROM quarantine_logs",
        "write memories": f"INSERT INTO {CHUNK} VALUES ('apollo', :'new', :'kept', 9, 'The board')",
        "approve": f"INSERT INTO {APPROVAL} VALUES ('apollo', :'new', 'Made up.', 'h', 'ada', now())",
        "read tombstones": "SELECT content FROM tombstones",
        "read insights": "SELECT content FROM insights",
        "read quotes": "SELECT quote FROM insight_sources",
        "read the audit log": "SELECT reason FROM audit_log",
        "read what others were served": "SELECT query FROM answers",
        "become a reviewer": "SET ROLE memsieve_reviewer",
        "become the filter": "SET ROLE memsieve_filter",
        "have triggers sleep": "SET session_replication_role = 'replica'",
        "drop a wall": "DROP POLICY own_project ON approvals",
        "switch off a trigger": "ALTER TABLE memories DISABLE TRIGGER ALL",
        "make a function": "CREATE FUNCTION asking() RETURNS text LANGUAGE sql RETURN 'gemini'",
    },
    "memsieve_filter": {
        "read keys": "SELECT id FROM api_keys",
        "become the keeper": "SET ROLE memsieve_keeper",
        "approve": f"INSERT INTO {APPROVAL} VALUES ('apollo', :'new', 'Made up.', 'h', 'ada', now())",
        "add sources to an approval": "INSERT INTO approval_sources VALUES ('apollo', :'kept', :'hot')",
        "write memories": f"INSERT INTO {CHUNK} VALUES ('apollo', :'new', :'kept', 9, 'The board')",
        "bury": f"INSERT INTO {GRAVE} VALUES ('apollo', :'new', 'dismissed', 'x', 'x', 'x', '', 'ada', now(), '')",
        "lift a tombstone": "UPDATE tombstones SET lifted_at = now()",
        "retire": "INSERT INTO retirements VALUES ('apollo', :'kept', 'ada', now(), '')",
        "write the audit log": f"{NEXT_LINE} 'x', 'x', '', '{{}}', ({LAST}), '' FROM audit_log",
        "record": f"INSERT INTO {SAID} VALUES ('apollo', :'new', 's', 'x', '{{}}', now())",
        "delete from quarantine": "DELETE FROM quarantine_logs",
        "decide an insight": SETTLE.format("dismissed", "ada@example.org", "NULL") + ":'waits'",
        "reword an insight": "UPDATE insights SET content = 'Made up.' WHERE id = :'waits'",
        "become a reviewer": "SET ROLE memsieve_reviewer",
    },
    "memsieve_reviewer": {
        "read keys": "SELECT id FROM api_keys",
        "use a key": "UPDATE api_keys SET last_used_at = now()",
        "make a key": f"INSERT INTO {KEY} ('5newkey0', 'm', 'agent', 'apollo', :'hash', now(), 'mallory')",
        "become the keeper": "SET ROLE memsieve_keeper",
        "record": f"INSERT INTO {SAID} VALUES ('apollo', :'new', 's', 'x', '{{}}', now())",
        "reword an insight": "UPDATE insights SET content = 'Made up.' WHERE id = :'waits'",
        "take a source from an insight": "DELETE FROM insight_sources WHERE insight_id = :'waits'",
        "become the owner": "SET ROLE memsieve_owner",
        "have triggers sleep": "SET session_replication_role = 'replica'",
        "switch off a trigger": "ALTER TABLE memories DISABLE TRIGGER ALL",
    },
    "memsieve_keeper": {
        "read quarantine": "SELECT content FROM quarantine_logs",
        "read memories": "SELECT content FROM memories",
        "read insights": "SELECT content FROM insights",
        "read why something was decided": "SELECT reason FROM audit_log",
        "read what was decided": "SELECT detail FROM audit_log",
        "record": f"INSERT INTO {SAID} VALUES ('apollo', :'new', 's', 'x', '{{}}', now())",
        "approve": f"INSERT INTO {APPROVAL} VALUES ('apollo', :'new', 'Made up.', 'h', 'ada', now())",
        "become a reviewer": "SET ROLE memsieve_reviewer",
        "become the owner": "SET ROLE memsieve_owner",
        "have triggers sleep": "SET session_replication_role = 'replica'",
        "switch off a trigger": "ALTER TABLE api_keys DISABLE TRIGGER ALL",
    },
}
# What a role may write, but not so that memsieve could not read it: each is one value in the place of a good one.
RECORD = (
    "SELECT set_config('app.project', {project}, false);"
    f"INSERT INTO {SAID} VALUES ({{project}}, {{id}}, {{session}}, 'x', {{metadata}}, {{at}})"
)
WHOLE = {"project": "'apollo'", "id": ":'new'", "session": "'s'", "metadata": "'{}'", "at": "now()"}
MOMENTS = ["'infinity'", "'-infinity'", "'0044-01-01 BC'", "'9999-12-31'", "'12026-01-01'"]
NAMES = ["''", "repeat('x', 129)", "' x'", "'x '", r"E'x\u3000'", r"E'x\ny'", r"E'x\u200by'", r"E'x\u202ey'"]
PROJECTS = [*NAMES[1:], "'a b'", "'a..b'", "'.a'", "'a/b'", "'{a}'", r"E'e\u0301'", r"E'a\u3000b'", r"E'a\u2028b'"]
BAD = {
    "at": MOMENTS,
    "id": [*NAMES, "'insight-1'"],
    "session": NAMES,
    "metadata": ["'[1]'", "'1'", "'null'"],
    "project": PROJECTS,
}
AUDITED = f"{NEXT_LINE} 'x', 'x', '', '{{}}', ({LAST}), {DIGEST} FROM audit_log"
UNREADABLE = [
    *(("memsieve_agent", RECORD.format(**WHOLE | {place: bad})) for place, values in BAD.items() for bad in values),
    ("memsieve_agent", "INSERT INTO answers (project_id, id, query, at) VALUES ('apollo', :'new', 'x', 'infinity')"),
    ("memsieve_filter", "UPDATE admissions SET decided_at = 'infinity'"),
    ("memsieve_filter", "UPDATE admissions SET checks = '{}'"),
    ("memsieve_filter", "INSERT INTO digest_runs (project_id, due) VALUES ('apollo', 'infinity')"),
    ("memsieve_reviewer", "UPDATE tombstones SET lifted_at = 'infinity'"),
    ("memsieve_reviewer", AUDITED.replace("now()", "'infinity'")),
    ("memsieve_reviewer", AUDITED.replace("'{}'", "'[]'")),
    ("memsieve_keeper", "UPDATE api_keys SET last_used_at = 'infinity'"),
    ("memsieve_keeper", AUDITED.replace("now()", "'infinity'")),
    *(("memsieve_reviewer", AUDITED.replace(DIGEST, wrong)) for wrong in ("''", "repeat('D', 64)", "repeat('d', 65)")),
]
# A function with its owner's rights would do what they may not, if it could be hung on a table of their own.
MINE = "CREATE TEMPORARY TABLE mine (project_id text, id text, approval_id text);"
HUNG = """
CREATE TRIGGER mine AFTER INSERT ON mine REFERENCING NEW TABLE AS retired FOR EACH STATEMENT
EXECUTE FUNCTION {function}();
"""


@pytest.mark.parametrize("role", ["memsieve_reviewer", "memsieve_owner"])
@pytest.mark.parametrize("attempt", NEVER)
def test_nobody_writes_what_never_is_to_be(shared, attempt, role):
    before = shared.everything()
    assert shared.refused(role, NEVER[attempt])
    assert shared.everything() == before


@pytest.mark.parametrize("role", ["memsieve_keeper", "memsieve_owner"])
@pytest.mark.parametrize("attempt", NEVER_WITH_KEYS)
def test_nobody_does_to_keys_what_never_is_to_be(shared, attempt, role):
    before = shared.everything()
    assert shared.refused(role, NEVER_WITH_KEYS[attempt])
    assert shared.everything() == before


@pytest.mark.parametrize(("role", "attempt"), [(role, attempt) for role in NOT_FOR for attempt in NOT_FOR[role]])
def test_a_role_does_only_what_is_its_own(shared, role, attempt):
    before = shared.everything()
    assert "42501" in shared.refused(role, NOT_FOR[role][attempt])
    assert shared.everything() == before


@pytest.mark.parametrize(("role", "attempt"), UNREADABLE)
def test_nobody_writes_what_memsieve_could_not_read(shared, role, attempt):
    before = shared.everything()
    assert "23514" in shared.refused(role, attempt)
    assert shared.everything() == before


def taken(rule, texts, **fields):
    """Return those of the texts that memsieve takes as they are."""
    for text in texts:
        with suppress(InvalidInput):
            if rule(text, **fields) == text:
                yield text


def test_every_name_that_memsieve_takes_is_taken(shared):
    letters = [chr(code) for code in range(1, 0x30000) if not 0xD800 <= code < 0xE000]
    names = list(taken(validate.name, [f"a{one}b" for one in letters], field="id"))
    projects = list(taken(validate.project_name, [*letters, *(f"a{one}" for one in letters)]))
    assert len(names) > len(letters) - 100
    assert {"项", "a-", "aß", "a²"} <= set(projects)
    shared.superuser.execute("CREATE TEMPORARY TABLE said (LIKE quarantine_logs INCLUDING CONSTRAINTS)")
    for column, values in (("id", names), ("project_id", projects)):
        row = {"project_id": "'apollo'", "id": "'x'", "sequence": "1", "session_id": "'s'", "content": "'x'"}
        row |= {"raw_metadata": "'{}'", "created_at": "now()", column: "unnest(%s::text[])"}
        add = f"INSERT INTO said ({', '.join(row)}) SELECT {', '.join(row.values())}"
        assert shared.superuser.execute(add, (values,)).rowcount == len(values)
    shared.superuser.execute("DROP TABLE said")


def test_an_agent_records_and_is_served_and_reads_what_people_approved(own):
    said = f"INSERT INTO {SAID} VALUES ('apollo', :'new', 's', 'Said by psql.', '{{}}', now())"
    own.ask("memsieve_agent", said)
    assert own.ask("memsieve_filter", "SELECT decision FROM admissions WHERE entry_id = :'new'") == ["pending"]
    assert own.ask("memsieve_agent", "SELECT content FROM memories WHERE id = :'chunk'") == ["The board approved it."]
    served = "INSERT INTO answers (project_id, id, query, at) VALUES ('apollo', :'new', 'x', now())"
    assert own.ask("memsieve_agent", served) == []


def test_the_filter_decides_and_changes_vectors(own):
    own.ask("memsieve_filter", "UPDATE admissions SET decision = 'refused' WHERE entry_id = :'other'")
    own.ask("memsieve_filter", "UPDATE insights SET embedder = 'x', embedding = '[1]' WHERE id = :'first'")
    own.ask("memsieve_filter", "DELETE FROM insights WHERE id = :'waits'")
    assert own.ask("memsieve_filter", "SELECT embedder, review FROM insights WHERE id = :'first'") == ["x|promoted"]


def test_a_reviewer_deletes_from_quarantine_with_a_line_and_quotes_go_too(own):
    own.ask(
        "memsieve_reviewer",
        f"{NEXT_LINE} 'deleted', :'refused', '', '{{}}', ({LAST}), {DIGEST} FROM audit_log;"
        "DELETE FROM quarantine_logs WHERE id = :'refused'",
    )
    insights = "SELECT i.id, disputes, count(s) FROM insights i LEFT JOIN insight_sources s ON s.insight_id = i.id"
    left = own.ask("memsieve_filter", f"{insights} GROUP BY i.project_id, i.id, sequence ORDER BY sequence")
    assert left == [f"{own.ids['first']}|[]|1", f"{own.ids['second']}|[]|1"]
    assert own.ask("memsieve_filter", "SELECT entry_id FROM unplaced") == [own.ids["other"]]


async def problems(url):
    database = Database(url)
    await database.open()
    auditor = Auditor(
        quarantine=PostgresQuarantine(database, "words", Clock()),
        longterm=PostgresLongTerm(database, "words", Clock()),
        servings=PostgresServingLog(database, "words"),
        audit=PostgresAuditLog(database),
        digests=PostgresDigests(database, "words"),
    )
    audit = await auditor.verify(person())
    await database.close()
    return audit.problems


def test_a_false_line_that_a_reviewer_appends_by_hand_is_shown(own):
    assert asyncio.run(problems(own.url)) == ()
    own.ask("memsieve_reviewer", AUDITED)
    [[last]] = own.look("SELECT max(sequence) FROM audit_log WHERE project_id = 'apollo'")
    assert [str(last) in one for one in asyncio.run(problems(own.url))] == [True]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("project", ["voyager", "", None])
def test_from_another_project_and_from_none_there_is_nothing(shared, role, project):
    # The keeper looks a key up before its project is known.
    seen = {"schema_migrations", "api_keys"} if role == "memsieve_keeper" else {"schema_migrations"}
    tables = [table for [table] in shared.look(TABLES) if table not in seen]
    readable = "SELECT relname FROM pg_class WHERE relname = ANY(:'tables') AND has_any_column_privilege(oid, 'SELECT')"
    mine = shared.ask(role, readable.replace(":'tables'", f"'{{{','.join(tables)}}}'"))
    assert mine
    counts = "; ".join(f"SELECT count(*) FROM {table}" for table in mine)
    assert shared.ask(role, counts, project=project) == ["0"] * len(mine)
    assert "0" not in shared.ask(role, "; ".join(f"SELECT count(*) FROM {table}" for table in mine if table in FILLED))


FILLED = {
    "quarantine_logs",
    "admissions",
    "audit_log",
    "approvals",
    "memories",
    "retirements",
    "tombstones",
    "insights",
}


def test_the_keeper_looks_up_the_keys_of_all_projects_and_makes_and_uses_them(own):
    keys = "SELECT id FROM api_keys ORDER BY 1"
    assert own.ask("memsieve_keeper", keys, project=None) == ["1revoked", "2admin00", "3f9k2m7q", "3gemini0"]
    assert own.ask("memsieve_owner", keys, project="gemini") == ["3gemini0"]
    own.ask("memsieve_keeper", "UPDATE api_keys SET last_used_at = now() WHERE id = '2admin00'")
    own.ask(
        "memsieve_keeper",
        f"{KEY_LINE} INSERT INTO {KEY} ('5newkey0', 'm', 'agent', 'apollo', :'hash', now(), 'mallory')",
    )
    assert own.look("SELECT id FROM api_keys WHERE last_used_at IS NOT NULL") == [("2admin00",)]
    assert own.ask("memsieve_keeper", keys)[-1] == "5newkey0"


def test_only_the_filter_looks_across_projects_and_only_when_it_asks_to(shared):
    projects = "SET ROLE {}; SELECT DISTINCT project_id FROM approvals ORDER BY 1"
    asked = {
        role: [shared.ask(role, projects.format(role), **{"app.across": across}) for across in ("off", "on")]
        for role in ROLES[:3]
    }
    assert asked == {
        "memsieve_agent": [["apollo"], ["apollo"]],
        "memsieve_filter": [["apollo"], ["apollo", "gemini"]],
        "memsieve_reviewer": [["apollo"], ["apollo"]],
    }


def test_looking_across_projects_the_filter_still_writes_in_one(shared):
    before = shared.everything()
    changed = "UPDATE admissions SET decision = 'admitted' WHERE project_id = 'gemini' RETURNING entry_id"
    assert shared.ask("memsieve_filter", f"SET ROLE memsieve_filter; {changed}", **{"app.across": "on"}) == []
    assert shared.everything() == before


def test_what_the_planner_knows_of_quarantine_is_not_told(shared):
    shared.superuser.execute("ANALYZE quarantine_logs")
    known = "SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = 'quarantine_logs'"
    assert shared.look(known)
    assert shared.ask("memsieve_agent", known) == []


@pytest.mark.parametrize(
    "deed", ["DELETE FROM quarantine_logs WHERE id = :'hot'", NEVER["an approval without its line"]]
)
def test_a_table_of_ones_own_in_the_place_of_the_audit_log_fools_nobody(shared, deed):
    forged = """
        CREATE TEMPORARY TABLE audit_log (LIKE public.audit_log);
        INSERT INTO audit_log SELECT 'apollo', 1, now(), 'ada', a, s, '', '{}', '', ''
        FROM unnest(ARRAY['deleted', 'promoted']) a, unnest(ARRAY[:'hot', :'new']) s;
    """
    before = shared.everything()
    assert "23000" in shared.refused("memsieve_reviewer", forged + deed)
    assert shared.everything() == before


DEFINERS = """
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND p.prorettype = 'trigger'::regtype
"""


@pytest.mark.parametrize("role", [*ROLES[:3], "memsieve_keeper"])
def test_no_function_with_its_owners_rights_is_hung_on_a_table_of_ones_own(shared, role):
    functions = [name for [name] in shared.look(DEFINERS)]
    assert "entries_wait" in functions
    attempts = "".join(HUNG.format(function=function) for function in functions)
    done = shared.run(role, f"\\set ON_ERROR_STOP off\n{MINE}{attempts}")
    assert done.stderr.count("permission denied for function") == len(functions), done.stderr
