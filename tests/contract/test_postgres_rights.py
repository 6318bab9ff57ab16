"""What PostgreSQL's own catalogue says of the walls: every table is behind one, and every right is meant."""

import psycopg
import pytest

FUNCTIONS = """
SELECT p.proname FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'public'::regnamespace AND l.lanname IN ('plpgsql', 'sql') AND p.prosqlbody IS NULL
    AND NOT coalesce('search_path=public, pg_temp' = ANY(p.proconfig), false)
"""
UNWALLED = """
SELECT c.relname FROM pg_class c
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT (
    c.relrowsecurity AND c.relforcerowsecurity
    AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'own_project')
)
"""
KEYS = """
SELECT c.relname, a.attname FROM pg_class c
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
"""
MOMENTS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind IN ('r', 'p') AND c.relrowsecurity AND a.atttypid = 'timestamptz'::regtype AND NOT EXISTS (
    SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
        AND pg_get_constraintdef(k.oid) LIKE '%9999-01-01%'
)
"""
VIEWS = """
SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace
    AND NOT coalesce('security_invoker=true' = ANY(reloptions), false)
"""
GRANTED = """
WITH rights AS (
    SELECT c.relname, NULL AS attname, acl.* FROM pg_class c, aclexplode(c.relacl) acl
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
    UNION ALL
    SELECT c.relname, a.attname, acl.*
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, aclexplode(a.attacl) acl
    WHERE c.relnamespace = 'public'::regnamespace
)
SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, relname,
    string_agg(lower(privilege_type) || coalesce(' ' || attname, ''), ', ' ORDER BY privilege_type, attname)
FROM rights WHERE grantee <> 'memsieve_owner'::regrole GROUP BY 1, 2 ORDER BY 1, 2
"""
CALLED = """
SELECT p.proname, CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END
FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl
WHERE p.pronamespace = 'public'::regnamespace AND acl.grantee <> p.proowner
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
ORDER BY 1, 2
"""
SERVE = "insert answer_id, insert item_id, insert project_id, insert score, insert session_id, insert source"
RIGHTS = {
    "memsieve_agent": {
        "answers": "insert",
        "approval_sources": "select",
        "approvals": "select",
        "happenings": "select",
        "memories": "select",
        "memory_vectors": "select",
        "memory_places": "select",
        "memory_words": "select",
        "project_sizes": "select",
        "quarantine_logs": "insert agent_id, insert confidence, insert content, insert created_at, insert id, "
        "insert idempotency_key, insert node_id, insert project_id, insert raw_metadata, "
        "insert recorded_by, insert session_id",
        "retirements": "select",
        "reviewed": "select",
        "schema_migrations": "select",
        "served": SERVE,
        "vector_indexes": "select",
        "vector_sizes": "select",
        "word_counts": "select",
    },
    "memsieve_filter": {
        "admissions": "select, update checks, update decided_at, update decision, update embedder, update embedding, "
        "update passages, update shadow",
        "answers": "insert, select",
        "approval_sources": "select",
        "approvals": "select",
        "audit_log": "select",
        "digest_runs": "insert, select, update",
        "digests": "insert, select",
        "happenings": "delete, select",
        "insight_sources": "insert, select",
        "insights": "delete, insert, select, update embedder, update embedding",
        "memories": "select, update embedder",
        "memory_vectors": "delete, insert, select",
        "memory_places": "select",
        "memory_words": "select",
        "project_sizes": "select",
        "projects": "select",
        "quarantine_logs": "select",
        "retirements": "select",
        "reviewed": "select",
        "revisions": "select",
        "schema_migrations": "select",
        "served": f"{SERVE}, select",
        "tombstones": "select, update embedder, update embedding",
        "unplaced": "delete, insert, select",
        "vector_indexes": "select",
        "vector_sizes": "select",
        "word_counts": "select",
    },
    # And all that the filter has.
    "memsieve_reviewer": {
        "approval_sources": "insert",
        "approvals": "insert",
        "audit_log": "insert",
        "insights": "update memory_id, update reason, update review, update settled_at, update settled_by",
        "memories": "insert",
        "memory_places": "insert",
        "memory_words": "insert",
        "quarantine_logs": "delete",
        "retirements": "insert",
        "schema_migrations": "select",
        "tombstones": "insert, update lifted_at",
    },
    "memsieve_keeper": {
        "api_keys": "insert, select, update last_used_at, update revoked_at, update revoked_by",
        "audit_log": "insert, select action, select actor, select digest, select project_id, select sequence, "
        "select subject",
        "schema_migrations": "select",
    },
    "memsieve_search": {"memory_words": "select"},
}
# These are about no project: which migrations were applied, and what an index over all projects' vectors is worth. The
# owner alone writes them.
OF_NO_PROJECT = {"schema_migrations": "number", "vector_indexes": "embedder"}
# A key is looked up before its project is known.
KEYED_OTHERWISE = {**OF_NO_PROJECT, "api_keys": "id"}
CALLS = [
    ("asking_across", "PUBLIC"),
    ("asking_project", "PUBLIC"),
    ("best_by_words", "memsieve_agent"),
    ("best_by_words", "memsieve_filter"),
    ("best_by_words", "memsieve_reviewer"),
    ("search_sizes", "memsieve_agent"),
    ("search_sizes", "memsieve_filter"),
    ("serve", "memsieve_agent"),
    ("serve", "memsieve_filter"),
]


@pytest.fixture(scope="module", params=["18", "16"])
def connection(request):
    databases = request.getfixturevalue(f"databases_{request.param}")
    with databases.copy() as url, psycopg.connect(url, autocommit=True) as superuser:
        yield superuser


def rows(connection, sql):
    return connection.execute(sql).fetchall()


def test_every_table_is_walled_off_by_project(connection):
    assert {name for [name] in rows(connection, UNWALLED)} == set(OF_NO_PROJECT)


def test_every_primary_key_begins_with_the_project(connection):
    keys = dict(rows(connection, KEYS))
    assert {name: key for name, key in keys.items() if key != "project_id"} == KEYED_OTHERWISE


def test_every_view_shows_only_what_its_reader_may_see(connection):
    assert rows(connection, VIEWS) == []


def test_every_function_says_where_it_looks(connection):
    # These look up nothing but what they are given.
    assert {name for [name] in rows(connection, FUNCTIONS)} == {"refuse", "take_names", "wall_off"}


def test_every_moment_is_checked_to_be_one_that_python_has(connection):
    assert rows(connection, MOMENTS) == []


def test_each_role_has_exactly_these_rights(connection):
    granted = {}
    for role, table, rights in rows(connection, GRANTED):
        granted.setdefault(role, {})[table] = rights
    assert granted == RIGHTS


def test_only_these_functions_are_for_others_to_call(connection):
    assert rows(connection, CALLED) == CALLS
