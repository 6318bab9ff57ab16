"""Attempts to get around the tier rules: by hand-written SQL, by the code, by the wrong role."""

import ast
import dataclasses
import sqlite3
import uuid
from pathlib import Path

import pytest

import memsieve
from memsieve.embedded import EmbeddedProject, EmbeddedReview
from memsieve.errors import ApprovalRequired, Forbidden, InvalidInput, NotFound
from memsieve.model import Dispute, EntryFilter, KeyRole
from memsieve.ports import QuarantineStore
from memsieve.retrieval.retriever import Retriever
from memsieve.review.promote import approve
from memsieve.testing.factories import NOW, agent, digest, entry, insight, source, system

SOURCES = Path(memsieve.__file__).parent
TEXT = "Service alpha of region beta answers to team gamma about matter delta."


def insights(memory, other, refused):
    """Make three insights that wait, and return their ids."""
    one, two = entry("Short, too.", id=other), entry("Too short.", id=refused)
    dispute = Dispute(first_id=other, first_quote="a", second_id=refused, second_quote="b", difference="all")
    made = [
        insight([source(one), source(two)], "Team gamma answers.", disputes=(dispute,)),
        insight([one], "Nobody answers."),
        insight([one, two], "Somebody answers."),
    ]
    store = memory.inner.services.promoter.digests
    memory.loop.call(store.save(system(), digest(*made)))
    return [one.id for one in made]


def make_key(memory, role):
    """Make a key, for the project unless it is an admin's, and return its id."""
    return memory.keys.make(
        name="crawler", role=role, project_id=None if role is KeyRole.ADMIN else "apollo", by="ada"
    )[0].id


@pytest.fixture
def filled(small_embedder, memory, data):
    """Give a file with something in every tier, and a connection to it that knows nothing of memsieve."""
    project = memory.project("apollo")
    hot = project.record(TEXT, session_id="s1", confidence=0.9).entry.id
    refused = project.record("Too short.", session_id="s1", idempotency_key="k").entry.id
    kept = project.review(by="ada").promote_text("The board approved the budget.").id
    gone = project.review(by="ada").promote_text("The board refused the budget.").id
    project.review(by="ada").retire(gone, reason="wrong")
    other = project.record("Short, too.", session_id="s2").entry.id
    project.review(by="ada").promote(project.record("The board meets on Mondays.", session_id="s2").entry.id)
    first, second, waits = insights(memory, other, refused)
    raised = project.review(by="ada").promote(first).id
    project.review(by="bob").dismiss(second, reason="wrong")
    ids = {"hot": hot, "refused": refused, "kept": kept, "gone": gone, "new": str(uuid.uuid4())}
    ids |= {"first": first, "second": second, "waits": waits, "raised": raised, "other": other}
    key, revoked, admin = (make_key(memory, role) for role in (KeyRole.AGENT, KeyRole.REVIEWER, KeyRole.ADMIN))
    memory.keys.revoke(revoked, by="bob")
    ids |= {"key": key, "revoked": revoked, "admin": admin, "hash": bytes(32)}
    connection = sqlite3.connect(data / "memsieve.db", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    yield connection, ids
    connection.close()


CHUNK = "memories (project_id, id, approval_id, position, content, words)"
APPROVAL = "(project_id, id, content, content_hash, promoted_by, promoted_at) VALUES ('apollo',"
LINE = "(project_id, sequence, at, actor, action, subject, reason, detail, previous, digest) VALUES ('apollo',"
WORKING = "(project_id, entry_id, session_id, content, metadata, created_at, expires_at) VALUES ('apollo',"
SAID = "quarantine_logs (project_id, id, session_id, content, raw_metadata, created_at, idempotency_key)"
GRAVE = "tombstones (project_id, id, kind, source_id, content, content_hash, words, buried_by, buried_at, reason)"
SETTLE = (
    "UPDATE insights SET review = '{}', settled_by = '{}', settled_at = 't', reason = '', memory_id = {} WHERE id = "
)
INSIGHT = "insights (sequence, project_id, id, content, summarised_by, refinement, disputes, made_at)"
SETTLED = "insights (project_id, id, content, summarised_by, refinement, disputes, made_at, review, settled_by, "
BEHIND = "insight_sources (project_id, insight_id, entry_id, position, quote, later)"
KEY = "api_keys (id, name, role, project_id, secret_hash, made_at, made_by)"
ATTEMPTS = {
    "a memory without approval": f"INSERT INTO {CHUNK} VALUES ('apollo', :new, 'nobody', 0, 'Made up.', '')",
    "a memory that is no part of its approval": f"INSERT INTO {CHUNK} VALUES ('apollo', :new, :kept, 9, 'Lies.', '')",
    "a memory by another project's word": f"INSERT INTO {CHUNK} VALUES ('gemini', :new, :kept, 0, 'The board', '')",
    "a memory in another wording": "UPDATE memories SET content = 'Made up.'",
    "a memory under another approval": "UPDATE memories SET approval_id = :gone",
    "a memory replaced": f"REPLACE INTO {CHUNK} SELECT project_id, id, approval_id, position, 'b', '' FROM memories",
    "a memory removed": "DELETE FROM memories",
    "a place of no memory": "INSERT INTO memory_places VALUES (99, 'apollo', 's', 't')",
    "a place in another project": "INSERT INTO memory_places SELECT sequence, 'gemini', 's', 't' FROM memories",
    "another place": "UPDATE memory_places SET session_id = 't'",
    "a place replaced": "REPLACE INTO memory_places SELECT sequence, project_id, 't', 't' FROM memory_places",
    "a place removed": "DELETE FROM memory_places",
    "an approval in another wording": "UPDATE approvals SET content = 'Made up.'",
    "an approval in another name": "UPDATE approvals SET promoted_by = 'mallory'",
    "an approval removed": "DELETE FROM approvals",
    "an approval replaced": f"REPLACE INTO approvals {APPROVAL} :kept, 'Made up.', 'h', 'm', 't')",
    "an approval by nobody": f"INSERT INTO approvals {APPROVAL} :new, 'Made up.', 'h', ' ', 't')",
    "a retirement undone": "DELETE FROM retirements",
    "a retirement changed": "UPDATE retirements SET retired_by = 'mallory'",
    "an audit line changed": "UPDATE audit_log SET actor = 'mallory'",
    "an audit line removed": "DELETE FROM audit_log WHERE sequence = 1",
    "the last audit line removed": "DELETE FROM audit_log WHERE sequence = (SELECT max(sequence) FROM audit_log)",
    "an audit line replaced": f"REPLACE INTO audit_log {LINE} 1, 't', 'm', 'promoted', 'x', '', '{{}}', '', '')",
    "an audit line out of the chain": f"INSERT INTO audit_log {LINE} 99, 't', 'm', 'x', 'x', '', '{{}}', '', '')",
    "working memory without admission": f"INSERT INTO working {WORKING} :refused, 's', 'Too short.', '{{}}', 't', '9')",
    "working memory without an entry": f"INSERT INTO working {WORKING} :new, 's', 'Made up.', '{{}}', 't', '9')",
    "working memory in another wording": "UPDATE working SET content = 'Made up.'",
    "working memory prolonged": "UPDATE working SET expires_at = '9999-01-01T00:00:00.000000Z'",
    "working memory in another project": "UPDATE working SET project_id = 'gemini'",
    "another content in quarantine": "UPDATE quarantine_logs SET content = 'Made up.'",
    "another confidence in quarantine": "UPDATE quarantine_logs SET confidence = 1.0",
    "another session in quarantine": "UPDATE quarantine_logs SET session_id = 'other'",
    "quarantine deleted without a line": "DELETE FROM quarantine_logs WHERE id = :hot",
    "a tombstone removed": "DELETE FROM tombstones",
    "a tombstone of another content": "UPDATE tombstones SET content = 'Made up.'",
    "another content with a memory's vector": "UPDATE memories SET embedder = 'x', embedding = NULL, content = 'b'",
    "another content with a working vector": "UPDATE working SET embedder = 'x', embedding = NULL, content = 'b'",
    "a longer life with a working vector": "UPDATE working SET embedder = 'x', embedding = NULL, expires_at = '9'",
    "another content with a vector": "UPDATE quarantine_logs SET embedder = 'x', embedding = NULL, content = 'b'",
    "another content with a grave's vector": "UPDATE tombstones SET embedder = 'x', embedding = NULL, content = 'b'",
    "an insight promoted by nobody": SETTLE.format("promoted", "mallory", "NULL") + ":waits",
    "an insight promoted to nothing": SETTLE.format("promoted", "ada", "'x'") + ":waits",
    "an insight promoted by another approval": SETTLE.format("promoted", "ada", ":kept") + ":waits",
    "an insight promoted by another's approval": SETTLE.format("promoted", "ada", ":raised") + ":waits",
    "an insight promoted in another name": SETTLE.format("promoted", "bob", ":raised") + ":waits",
    "an insight dismissed without a line": SETTLE.format("dismissed", "ada", "NULL") + ":waits",
    "an insight dismissed by no one": SETTLE.format("dismissed", " ", "NULL") + ":waits",
    "an insight retired": SETTLE.format("retired", "ada", "NULL") + ":waits",
    "a promoted insight dismissed": SETTLE.format("dismissed", "ada", "NULL") + ":first",
    "a dismissed insight promoted": SETTLE.format("promoted", "ada", ":raised") + ":second",
    "a decision taken back": SETTLE.format("x", "x", "NULL").replace("'x'", "NULL").replace("'t'", "NULL") + ":second",
    "a decision in another name": "UPDATE insights SET settled_by = 'mallory' WHERE id = :first",
    "a decision at another time": "UPDATE insights SET settled_at = 't' WHERE id = :first",
    "a decision for another reason": "UPDATE insights SET reason = 'x' WHERE id = :second",
    "a decision to another memory": "UPDATE insights SET memory_id = :kept WHERE id = :first",
    "a decided insight in another wording": "UPDATE insights SET content = 'Made up.' WHERE id = :second",
    "another wording with an insight's vector": "UPDATE insights SET embedder = 'x', content = 'b' WHERE id = :first",
    "a decided insight without its disputes": "UPDATE insights SET disputes = '[]' WHERE id = :first",
    "a decided insight removed": "DELETE FROM insights WHERE id = :first",
    "a decided insight replaced": f"REPLACE INTO {INSIGHT} VALUES (NULL, 'apollo', :first, 'x', '', '{{}}', '[]', 't')",
    "a decided insight replaced by its place": f"REPLACE INTO {INSIGHT} "
    "SELECT sequence, 'apollo', :new, 'x', '', '', '[]', 't' FROM insights WHERE id = :second",
    "a decided insight pushed out by its id": "UPDATE OR REPLACE insights SET id = :first WHERE id = :waits",
    "a decided insight pushed out of its place": "UPDATE OR REPLACE insights SET sequence = "
    "(SELECT sequence FROM insights WHERE id = :first) WHERE id = :waits",
    "an insight that was decided from the first": f"INSERT INTO {SETTLED} settled_at, reason) VALUES "
    "('apollo', :new, 'x', '', '{}', '[]', 't', 'dismissed', 'ada', 't', '')",
    "another source of a decided insight": f"INSERT INTO {BEHIND} VALUES ('apollo', :second, :refused, 9, 'x', 0)",
    "a source taken from a decided insight": "DELETE FROM insight_sources WHERE insight_id = :first",
    "another quote": "UPDATE insight_sources SET quote = 'Made up.' WHERE insight_id = :first",
    "a source moved to another insight": "UPDATE OR REPLACE insight_sources SET insight_id = :first",
    "a source that nobody said": f"INSERT INTO {BEHIND} VALUES ('apollo', :waits, :new, 9, 'x', 0)",
    "a key without its line": f"INSERT INTO {KEY} VALUES ('5newkey0', 'm', 'agent', 'apollo', :hash, 't', 'ada')",
    "a key by another project's line": f"REPLACE INTO {KEY} VALUES (:key, 'm', 'agent', 'gemini', :hash, 't', 'ada')",
    "a key replaced": f"REPLACE INTO {KEY} VALUES (:key, 'm', 'agent', 'apollo', :hash, 't', 'ada')",
    "a key pushed out by its id": "UPDATE OR REPLACE api_keys SET id = :key WHERE id = :admin",
    "a key without a project": "UPDATE api_keys SET project_id = NULL WHERE id = :key",
    "an admin's key with a project": "UPDATE api_keys SET project_id = 'apollo' WHERE id = :admin",
    "a key of another project": "UPDATE api_keys SET project_id = 'gemini' WHERE id = :key",
    "a key of another role": "UPDATE api_keys SET role = 'reviewer' WHERE id = :key",
    "a key with another secret": "UPDATE api_keys SET secret_hash = :hash WHERE id = :key",
    "a key of another name": "UPDATE api_keys SET name = 'ada' WHERE id = :key",
    "a key revoked without a line": "UPDATE api_keys SET revoked_at = 't', revoked_by = 'ada' WHERE id = :key",
    "a key revoked by nobody": "UPDATE api_keys SET revoked_at = 't' WHERE id = :key",
    "a revoked key that opens again": "UPDATE api_keys SET revoked_at = NULL, revoked_by = NULL WHERE id = :revoked",
    "a key revoked by another": "UPDATE api_keys SET revoked_by = 'mallory' WHERE id = :revoked",
    "a key removed": "DELETE FROM api_keys WHERE id = :key",
    "quarantine deleted without a line from under an insight": "DELETE FROM quarantine_logs WHERE id = :refused",
}


def dump(connection):
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_database_itself_refuses(filled, attempt):
    connection, ids = filled
    before = dump(connection)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(ATTEMPTS[attempt], ids)
    assert dump(connection) == before


@pytest.mark.parametrize(
    "attempt",
    [
        f"REPLACE INTO {SAID} VALUES ('apollo', :refused, 's', 'Made up.', '{{}}', 't', NULL)",
        f"REPLACE INTO {SAID} VALUES ('apollo', :new, 's', 'Made up.', '{{}}', 't', 'k')",
        f"REPLACE INTO working {WORKING} :hot, 'other', '{TEXT}', '{{}}', 't', '9')",
        "REPLACE INTO retirements VALUES ('apollo', :gone, 'mallory', 't', 'x')",
        f"REPLACE INTO {GRAVE} SELECT project_id, id, kind, source_id, 'x', 'x', '', 'm', 't', 'x' FROM tombstones",
        f"REPLACE INTO {BEHIND} VALUES ('apollo', :first, :other, 0, 'Made up.', 1)",
    ],
)
def test_replacing_what_is_kept_changes_nothing(filled, attempt):
    connection, ids = filled
    before = dump(connection)
    connection.execute(attempt, ids)
    assert dump(connection) == before


def test_an_approval_without_its_audit_line_is_refused_and_behind_the_trigger_noticed(filled, memory):
    connection, ids = filled
    forged = (
        "INSERT INTO approvals (project_id, id, content, content_hash, promoted_by, promoted_at)"
        " VALUES ('apollo', :new, 'Made up.', 'h', 'mallory', '2026-03-02T09:00:00.000000Z')"
    )
    with pytest.raises(sqlite3.IntegrityError, match="audit log"):
        connection.execute(forged, ids)
    connection.execute("DROP TRIGGER approvals_follow_their_audit_line")
    connection.execute(forged, ids)
    audit = memory.project("apollo").review(by="ada@example.org").verify_audit()
    assert not audit.whole
    assert ids["new"] in audit.problems[0]


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit_log SET reason = 'another' WHERE sequence = 2",
        "UPDATE audit_log SET detail = '{}' WHERE sequence = 1",
        "DELETE FROM audit_log WHERE sequence = 1",
        "DELETE FROM audit_log WHERE sequence = 2",
        "UPDATE audit_log SET sequence = sequence + 100",
    ],
)
def test_tampering_behind_the_triggers_is_noticed_by_the_audit(filled, memory, tampering):
    connection, _ = filled
    assert memory.project("apollo").review(by="ada@example.org").verify_audit().whole
    for trigger in ("audit_log_is_never_changed", "audit_log_is_never_removed"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(tampering)
    assert not memory.project("apollo").review(by="ada@example.org").verify_audit().whole


def calls_of(name, folder=SOURCES):
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", None)) == name:
                yield path.relative_to(SOURCES).as_posix()


def test_only_promotion_makes_an_approval():
    # The adapters read approvals back, and so does the client; `replace()` on one would be found by the second line.
    readers = {"stores/rows.py", "documents/memories.py"}
    made = [path for path in calls_of("Approval") if path not in readers]
    assert made == ["review/promote.py"]
    assert {path for path in calls_of("approve") if not path.startswith("testing/")} == {"review/promote.py"}


def test_the_retriever_holds_nothing_of_quarantine():
    kinds = {field.name: str(field.type) for field in dataclasses.fields(Retriever)}
    assert set(kinds) == {"working", "longterm", "servings", "embedder", "clock", "_indexes"}
    assert not any(QuarantineStore.__name__ in kind for kind in kinds.values())
    for path in (SOURCES / "retrieval").glob("*.py"):
        assert "QuarantineStore" not in path.read_text("utf-8")


@pytest.mark.parametrize("scope", [agent(), system()])
def test_nobody_but_a_person_approves(scope):
    with pytest.raises(ApprovalRequired):
        approve(scope, "Made up.", NOW)


def test_an_agents_scope_opens_no_door_to_quarantine_or_long_term(memory, small_embedder):
    services = memory.inner.services
    doors = [
        lambda: services.quarantine.get(agent(), "x"),
        lambda: services.quarantine.find(agent(), EntryFilter()),
        lambda: services.quarantine.delete(agent(), "x", "y"),
        lambda: services.promoter.promote(agent(), "x"),
        lambda: services.promoter.promote_text(agent(), "Made up."),
        lambda: services.promoter.promote_texts(agent(), ["Made up."]),
        lambda: services.promoter.promote_texts(system(), []),
        lambda: services.dismisser.dismiss(agent(), "x", "y"),
        lambda: services.deleter.delete(agent(), "x", "y"),
        lambda: services.digester.digest(agent()),
        lambda: services.digester.last(agent()),
        lambda: services.digester.insights(agent(), decided=False),
        lambda: services.digester.digests.get(agent(), "x"),
        lambda: services.auditor.lineage(agent(), "x"),
        lambda: services.auditor.verify(agent()),
    ]
    for door in doors:
        with pytest.raises(Forbidden):
            memory.loop.call(door())


@pytest.mark.parametrize("by", ["", "  ", "a\nb", None, 7, "\u0000"])
def test_promotion_needs_the_name_of_a_person(memory, small_embedder, by):
    with pytest.raises(InvalidInput):
        memory.project("apollo").review(by=by).promote_text("The board approved the budget.")
    assert memory.project("apollo").memories() == []


def test_no_method_of_a_project_takes_another_project():
    faces = [*vars(EmbeddedProject).items(), *vars(EmbeddedReview).items()]
    methods = [value for name, value in faces if callable(value) and not name.startswith("_")]
    assert len(methods) > 15
    for method in methods:
        assert not {"project", "project_id", "scope", "group_id"} & set(method.__annotations__)


def test_nothing_of_another_project_can_be_reached_by_its_ids(memory, small_embedder):
    apollo, gemini = memory.project("apollo"), memory.project("gemini")
    entry_id = apollo.record(TEXT, session_id="s1", confidence=0.9).entry.id
    kept = apollo.review(by="ada").promote_text("The board approved the budget.")
    attempts = [
        lambda: gemini.review(by="eve").promote(entry_id),
        lambda: gemini.review(by="eve").dismiss(entry_id, reason="x"),
        lambda: gemini.review(by="eve").delete(entry_id, reason="x"),
        lambda: gemini.review(by="ada@example.org").lineage(entry_id),
        lambda: gemini.review(by="ada@example.org").lineage(kept.id),
        lambda: gemini.review(by="eve").retire(kept.id, reason="x"),
        lambda: gemini.review(by="eve").retire(kept.chunks[0].id, reason="x"),
    ]
    for attempt in attempts:
        with pytest.raises(NotFound) as raised:
            attempt()
        assert "board" not in str(raised.value)
        assert "alpha" not in str(raised.value)
    assert gemini.retrieve("board budget alpha").items == ()
    assert gemini.review(by="ada@example.org").log() == gemini.memories() == gemini.working() == []
    assert gemini.stats().recorded == 0
    assert apollo.retrieve("board budget").items


def test_what_was_served_in_one_project_is_no_echo_in_another(memory, small_embedder):
    apollo, gemini = memory.project("apollo"), memory.project("gemini")
    apollo.review(by="ada").promote_text(TEXT)
    apollo.retrieve("alpha beta", session_id="s1")
    assert gemini.record(TEXT, session_id="s1", confidence=0.9).admission.admitted


def test_quarantine_is_never_served_whatever_is_asked(memory, small_embedder):
    project = memory.project("apollo")
    project.record("Secret alpha beta gamma.", session_id="s1", confidence=0.1)
    found = project.retrieve(
        "Secret alpha beta gamma.", max_results=1000, max_unverified=1000, time_range_days=36500, session_id="s1"
    )
    assert found.items == ()
    assert "Secret" not in project.history_context("Secret alpha beta gamma.")


@pytest.mark.parametrize("table", ["memories", "approvals"])
def test_a_verified_text_that_was_changed_behind_the_triggers_is_noticed_by_the_audit(filled, memory, table):
    connection, _ = filled
    for trigger in ("memories_are_kept_as_approved", "approvals_are_never_changed"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(f"UPDATE {table} SET content = 'The parser is perfect.'")
    assert not memory.project("apollo").review(by="ada@example.org").verify_audit().whole


@pytest.mark.parametrize("tampering", ["SET detail = 'not json'", "SET at = 'garbage'"])
def test_an_audit_line_that_was_made_unreadable_is_named(filled, memory, tampering):
    connection, _ = filled
    connection.execute("DROP TRIGGER audit_log_is_never_changed")
    connection.execute(f"UPDATE audit_log {tampering} WHERE sequence = 1")
    assert "Line 1 " in memory.project("apollo").review(by="ada@example.org").verify_audit().problems[0]


def test_only_the_vector_of_a_settled_insight_may_change(filled):
    connection, ids = filled
    connection.execute("UPDATE insights SET embedder = 'x', embedding = x'00' WHERE id = :first", ids)
    row = connection.execute("SELECT embedder, embedding, review FROM insights WHERE id = :first", ids).fetchone()
    assert row == ("x", b"\x00", "promoted")
