-- The three tiers, the ledger, and the walls between them. Triggers refuse hand-written SQL that would get around them;
-- whoever may drop a trigger can do anything, and `memsieve audit verify` notices it.
-- REPLACE removes rows without asking the triggers on DELETE: those on INSERT turn it away.

CREATE TABLE quarantine_logs (
    sequence        INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id      TEXT NOT NULL,
    id              TEXT NOT NULL,
    session_id      TEXT NOT NULL,
    agent_id        TEXT,
    node_id         TEXT,
    confidence      REAL CHECK (confidence BETWEEN 0 AND 1),
    content         TEXT NOT NULL CHECK (length(content) > 0),
    raw_metadata    TEXT NOT NULL,
    created_at      TEXT NOT NULL,
    idempotency_key TEXT,
    embedder        TEXT,
    embedding       BLOB,
    UNIQUE (project_id, id),
    UNIQUE (project_id, idempotency_key)
) STRICT;
CREATE INDEX quarantine_logs_by_project ON quarantine_logs (project_id, sequence);
CREATE INDEX quarantine_logs_by_session ON quarantine_logs (project_id, session_id, sequence);

CREATE TRIGGER quarantine_logs_are_kept_as_said
BEFORE UPDATE OF project_id, id, session_id, agent_id, node_id, confidence, content, raw_metadata, created_at
ON quarantine_logs
BEGIN
    SELECT RAISE(ABORT, 'what was said is never changed');
END;
CREATE TRIGGER quarantine_logs_keep_the_first
BEFORE INSERT ON quarantine_logs
WHEN EXISTS (
    SELECT 1 FROM quarantine_logs
    WHERE project_id = NEW.project_id AND (id = NEW.id OR idempotency_key = NEW.idempotency_key)
)
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TABLE admissions (
    project_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,
    decision   TEXT NOT NULL CHECK (decision IN ('admitted', 'refused', 'pending')),
    shadow     TEXT CHECK (shadow IN ('admitted', 'refused', 'pending')),
    checks     TEXT NOT NULL,
    decided_at TEXT NOT NULL,
    PRIMARY KEY (project_id, entry_id),
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX admissions_by_decision ON admissions (project_id, decision);
CREATE INDEX admissions_waiting ON admissions (project_id) WHERE decision = 'pending';

CREATE TABLE working (
    sequence   INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_id   TEXT,
    node_id    TEXT,
    confidence REAL,
    created_at TEXT NOT NULL,
    metadata   TEXT NOT NULL,
    content    TEXT NOT NULL,
    embedder   TEXT,
    embedding  BLOB,
    UNIQUE (project_id, entry_id),
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX working_by_project ON working (project_id, sequence, expires_at);

CREATE TRIGGER working_takes_admitted_entries_only
BEFORE INSERT ON working
WHEN NOT EXISTS (
    SELECT 1 FROM admissions a JOIN quarantine_logs q ON q.project_id = a.project_id AND q.id = a.entry_id
    WHERE a.project_id = NEW.project_id AND a.entry_id = NEW.entry_id AND a.decision = 'admitted'
        AND q.content = NEW.content
)
BEGIN
    SELECT RAISE(ABORT, 'only the ingress filter admits into working memory');
END;
CREATE TRIGGER working_keeps_the_first
BEFORE INSERT ON working
WHEN EXISTS (SELECT 1 FROM working WHERE project_id = NEW.project_id AND entry_id = NEW.entry_id)
BEGIN
    SELECT RAISE(IGNORE);
END;
CREATE TRIGGER working_is_never_changed
BEFORE UPDATE OF project_id, entry_id, session_id, content, created_at, expires_at ON working
BEGIN
    SELECT RAISE(ABORT, 'working memory is never changed nor prolonged');
END;

CREATE TABLE approvals (
    sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    content      TEXT NOT NULL CHECK (length(content) > 0),
    content_hash TEXT NOT NULL,
    promoted_by  TEXT NOT NULL CHECK (length(trim(promoted_by)) > 0),
    promoted_at  TEXT NOT NULL,
    UNIQUE (project_id, id)
) STRICT;
CREATE INDEX approvals_by_content ON approvals (project_id, content_hash);
CREATE INDEX approvals_by_project ON approvals (project_id, sequence);

CREATE TABLE approval_sources (
    project_id  TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    entry_id    TEXT NOT NULL,
    PRIMARY KEY (project_id, approval_id, entry_id),
    FOREIGN KEY (project_id, approval_id) REFERENCES approvals (project_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_sources_by_entry ON approval_sources (project_id, entry_id);

CREATE TABLE retirements (
    project_id  TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    retired_by  TEXT NOT NULL CHECK (length(trim(retired_by)) > 0),
    retired_at  TEXT NOT NULL,
    reason      TEXT NOT NULL,
    PRIMARY KEY (project_id, approval_id),
    FOREIGN KEY (project_id, approval_id) REFERENCES approvals (project_id, id)
) STRICT, WITHOUT ROWID;

CREATE VIEW reviewed AS
SELECT p.*, r.retired_at, r.retired_by, r.reason AS retired_reason
FROM approvals p LEFT JOIN retirements r ON r.project_id = p.project_id AND r.approval_id = p.id;

CREATE TABLE memories (
    sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id  TEXT NOT NULL,
    id          TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    position    INTEGER NOT NULL,
    content     TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 500),
    words       TEXT NOT NULL,
    embedder    TEXT,
    embedding   BLOB,
    UNIQUE (project_id, id),
    UNIQUE (project_id, approval_id, position),
    FOREIGN KEY (project_id, approval_id) REFERENCES approvals (project_id, id)
) STRICT;
CREATE INDEX memories_by_project ON memories (project_id, sequence);

CREATE TRIGGER memories_hold_approved_text_only
BEFORE INSERT ON memories
WHEN NOT EXISTS (
    SELECT 1 FROM approvals
    WHERE project_id = NEW.project_id AND id = NEW.approval_id AND instr(content, NEW.content) > 0
)
BEGIN
    SELECT RAISE(ABORT, 'long-term memory takes only text that a person approved');
END;

CREATE TRIGGER memories_are_kept_as_approved
BEFORE UPDATE OF project_id, id, approval_id, position, content ON memories
BEGIN
    SELECT RAISE(ABORT, 'a verified memory is never changed; retire it and promote another');
END;
CREATE TRIGGER memories_are_never_removed BEFORE DELETE ON memories
BEGIN SELECT RAISE(ABORT, 'a verified memory is never removed; retire it'); END;
CREATE TRIGGER memories_are_never_replaced BEFORE INSERT ON memories
WHEN EXISTS (
    SELECT 1 FROM memories WHERE project_id = NEW.project_id
        AND (id = NEW.id OR (approval_id = NEW.approval_id AND position = NEW.position))
)
BEGIN SELECT RAISE(ABORT, 'a verified memory is never changed; retire it and promote another'); END;

CREATE TRIGGER approvals_follow_their_audit_line BEFORE INSERT ON approvals
WHEN NOT EXISTS (
    SELECT 1 FROM audit_log
    WHERE project_id = NEW.project_id AND subject = NEW.id AND action = 'promoted' AND actor = NEW.promoted_by
)
BEGIN SELECT RAISE(ABORT, 'an approval needs its line in the audit log'); END;
CREATE TRIGGER approvals_are_never_changed BEFORE UPDATE ON approvals
BEGIN SELECT RAISE(ABORT, 'approvals are append-only'); END;
CREATE TRIGGER approvals_are_never_removed BEFORE DELETE ON approvals
BEGIN SELECT RAISE(ABORT, 'approvals are append-only'); END;
CREATE TRIGGER approvals_are_never_replaced BEFORE INSERT ON approvals
WHEN EXISTS (SELECT 1 FROM approvals WHERE project_id = NEW.project_id AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'approvals are append-only'); END;
CREATE TRIGGER retirements_are_never_replaced BEFORE INSERT ON retirements
WHEN EXISTS (SELECT 1 FROM retirements WHERE project_id = NEW.project_id AND approval_id = NEW.approval_id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER retirements_are_never_changed BEFORE UPDATE ON retirements
BEGIN SELECT RAISE(ABORT, 'retirements are append-only'); END;
CREATE TRIGGER retirements_are_never_removed BEFORE DELETE ON retirements
BEGIN SELECT RAISE(ABORT, 'retirements are append-only'); END;

CREATE TABLE tombstones (
    sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('dismissed', 'retired')),
    source_id    TEXT NOT NULL,
    content      TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    words        TEXT NOT NULL,
    embedder     TEXT,
    embedding    BLOB,
    buried_by    TEXT NOT NULL CHECK (length(trim(buried_by)) > 0),
    buried_at    TEXT NOT NULL,
    reason       TEXT NOT NULL,
    lifted_at    TEXT,
    UNIQUE (project_id, id)
) STRICT;
CREATE UNIQUE INDEX tombstones_one_per_source ON tombstones (project_id, source_id) WHERE lifted_at IS NULL;
CREATE INDEX tombstones_by_project ON tombstones (project_id, sequence);

CREATE TRIGGER tombstones_keep_the_first BEFORE INSERT ON tombstones
WHEN EXISTS (
    SELECT 1 FROM tombstones WHERE project_id = NEW.project_id
        AND (id = NEW.id OR (source_id = NEW.source_id AND lifted_at IS NULL))
)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER tombstones_are_never_changed
BEFORE UPDATE OF project_id, id, kind, source_id, content, content_hash, buried_by, buried_at, reason ON tombstones
BEGIN SELECT RAISE(ABORT, 'a tombstone is never changed, only lifted'); END;
CREATE TRIGGER tombstones_are_never_removed BEFORE DELETE ON tombstones
BEGIN SELECT RAISE(ABORT, 'a tombstone is never removed, only lifted'); END;

CREATE TABLE answers (
    sequence   INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    session_id TEXT,
    agent_id   TEXT,
    query      TEXT NOT NULL,
    at         TEXT NOT NULL,
    UNIQUE (project_id, id)
) STRICT;

CREATE TABLE served (
    sequence   INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    answer_id  TEXT NOT NULL,
    session_id TEXT,
    item_id    TEXT NOT NULL,
    source     TEXT NOT NULL CHECK (source IN ('hot', 'cold')),
    score      REAL NOT NULL
) STRICT;
CREATE INDEX served_by_session ON served (project_id, session_id, sequence);
CREATE INDEX served_by_item ON served (project_id, item_id);

CREATE TABLE audit_log (
    project_id TEXT NOT NULL,
    sequence   INTEGER NOT NULL,
    at         TEXT NOT NULL,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    reason     TEXT NOT NULL,
    detail     TEXT NOT NULL,
    previous   TEXT NOT NULL,
    digest     TEXT NOT NULL,
    PRIMARY KEY (project_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_log_by_subject ON audit_log (project_id, subject);

CREATE TRIGGER audit_log_is_a_chain BEFORE INSERT ON audit_log
WHEN NEW.sequence <> 1 + coalesce((SELECT max(sequence) FROM audit_log WHERE project_id = NEW.project_id), 0)
    OR NEW.previous <> coalesce(
        (SELECT digest FROM audit_log WHERE project_id = NEW.project_id ORDER BY sequence DESC LIMIT 1),
        '0000000000000000000000000000000000000000000000000000000000000000'
    )
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_is_never_removed BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER quarantine_logs_are_deleted_with_a_line_in_the_audit_log
BEFORE DELETE ON quarantine_logs
WHEN NOT EXISTS (
    SELECT 1 FROM audit_log WHERE project_id = OLD.project_id AND subject = OLD.id AND action = 'deleted'
)
BEGIN
    SELECT RAISE(ABORT, 'only a person deletes from quarantine, and the audit log keeps it');
END;

-- How each project's searchable rows changed, so that another process knows when its cached index is stale.
CREATE TABLE revisions (
    project_id TEXT NOT NULL,
    kind       TEXT NOT NULL,
    added      INTEGER NOT NULL DEFAULT 0,
    removed    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER memories_count_added AFTER INSERT ON memories
BEGIN
    INSERT INTO revisions (project_id, kind, added) VALUES (NEW.project_id, 'memories', NEW.sequence)
    ON CONFLICT DO UPDATE SET added = NEW.sequence;
END;
CREATE TRIGGER memories_count_rebuilt AFTER UPDATE ON memories
BEGIN
    UPDATE revisions SET removed = removed + 1 WHERE project_id = NEW.project_id AND kind = 'memories';
END;
CREATE TRIGGER memories_count_removed AFTER INSERT ON retirements
BEGIN
    UPDATE revisions SET removed = removed + 1 WHERE project_id = NEW.project_id AND kind = 'memories';
END;
CREATE TRIGGER tombstones_count_added AFTER INSERT ON tombstones
BEGIN
    INSERT INTO revisions (project_id, kind, added) VALUES (NEW.project_id, 'tombstones', NEW.sequence)
    ON CONFLICT DO UPDATE SET added = NEW.sequence;
END;
CREATE TRIGGER tombstones_count_removed AFTER UPDATE ON tombstones
BEGIN
    UPDATE revisions SET removed = removed + 1 WHERE project_id = NEW.project_id AND kind = 'tombstones';
END;
