-- The keys of the HTTP door. A key's secret is in no table: its hash is, and that cannot be turned back into it.
-- What a key is for never changes, and one that was revoked stays so: its id stands in audit lines for good.

CREATE TABLE api_keys (
    id           TEXT PRIMARY KEY CHECK (length(id) = 8),
    name         TEXT NOT NULL CHECK (length(trim(name)) > 0),
    role         TEXT NOT NULL CHECK (role IN ('agent', 'reviewer', 'auditor', 'admin')),
    project_id   TEXT,
    secret_hash  BLOB NOT NULL CHECK (length(secret_hash) = 32),
    made_at      TEXT NOT NULL,
    made_by      TEXT NOT NULL CHECK (length(trim(made_by)) > 0),
    last_used_at TEXT,
    revoked_at   TEXT,
    revoked_by   TEXT CHECK (length(trim(revoked_by)) > 0),
    CHECK ((role = 'admin') = (project_id IS NULL)),
    CHECK (project_id <> 'memsieve:server'),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_project ON api_keys (project_id, made_at);

-- A key of a project is audited in that project's log, one that opens all of them in the server's own.
CREATE TRIGGER api_keys_follow_their_audit_line BEFORE INSERT ON api_keys
WHEN NOT EXISTS (
    SELECT 1 FROM audit_log
    WHERE project_id = coalesce(NEW.project_id, 'memsieve:server') AND subject = NEW.id AND action = 'key made'
        AND actor = NEW.made_by
)
BEGIN SELECT RAISE(ABORT, 'a key needs its line in the audit log'); END;
CREATE TRIGGER api_keys_are_never_replaced BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a key is never changed; revoke it and make another'); END;
CREATE TRIGGER api_keys_are_made_to_be_used BEFORE INSERT ON api_keys WHEN NEW.revoked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a key is revoked after it was made'); END;
CREATE TRIGGER api_keys_are_never_changed
BEFORE UPDATE OF id, name, role, project_id, secret_hash, made_at, made_by ON api_keys
BEGIN SELECT RAISE(ABORT, 'a key is never changed; revoke it and make another'); END;
CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE OF revoked_at, revoked_by ON api_keys
WHEN OLD.revoked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a key that was revoked stays revoked'); END;
CREATE TRIGGER api_keys_are_revoked_with_a_line_in_the_audit_log BEFORE UPDATE OF revoked_at, revoked_by ON api_keys
WHEN NOT EXISTS (
    SELECT 1 FROM audit_log
    WHERE project_id = coalesce(OLD.project_id, 'memsieve:server') AND subject = OLD.id AND action = 'key revoked'
        AND actor = NEW.revoked_by
)
BEGIN SELECT RAISE(ABORT, 'revoking a key needs its line in the audit log'); END;
CREATE TRIGGER api_keys_are_never_removed BEFORE DELETE ON api_keys
BEGIN SELECT RAISE(ABORT, 'a key is never removed; revoke it'); END;
