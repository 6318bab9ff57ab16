-- The keys of the HTTP door. A key's secret is in no table: its hash is, and that cannot be turned back into it.
-- What a key is for never changes, and one that was revoked stays so: its id stands in audit lines for good.

--   memsieve_keeper    makes, looks up and revokes keys, and writes the audit lines of that; can do nothing else
DO $$
DECLARE
    -- Since PostgreSQL 16 a member need not have the right to take a role on.
    may_take text := CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
    BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'memsieve_keeper') THEN
            CREATE ROLE memsieve_keeper NOLOGIN;
        END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- made by a migration of another database of this server, just now
    END;
    IF NOT pg_has_role(current_user, 'memsieve_keeper', may_take) THEN
        GRANT memsieve_keeper TO CURRENT_USER;
    END IF;
END
$$;
GRANT USAGE ON SCHEMA public TO memsieve_keeper;
SET LOCAL ROLE memsieve_owner;
GRANT SELECT ON schema_migrations TO memsieve_keeper;

-- The one table whose primary key does not begin with project_id: a key is looked up by its id, before anybody knows its
-- project, and one that opens all projects has none. There are few keys: where tables are distributed, this one is a
-- reference table, whole on every node.
CREATE TABLE api_keys (
    id           text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-z]{8}$'),
    name         text COLLATE "C" NOT NULL,
    role         text COLLATE "C" NOT NULL CHECK (role IN ('agent', 'reviewer', 'auditor', 'admin')),
    project_id   text COLLATE "C",
    secret_hash  bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    made_at      timestamptz NOT NULL,
    made_by      text COLLATE "C" NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    revoked_by   text COLLATE "C",
    CHECK ((role = 'admin') = (project_id IS NULL)),
    CHECK (project_id <> 'memsieve:server'),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
CREATE INDEX api_keys_by_project ON api_keys (project_id, made_at);
CALL wall_off('api_keys');
CALL take_names('api_keys', 'name', 'made_by', 'revoked_by');
-- Only the keeper looks at keys, and at those of all projects. What it writes about one must fit the line in the audit
-- log of the project that the transaction is about.
CREATE POLICY keeper_keeps_all_keys ON api_keys TO memsieve_keeper USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (last_used_at, revoked_at, revoked_by) ON api_keys TO memsieve_keeper;
-- As much of a line as the next one must fit: not what was decided, and why.
GRANT SELECT (project_id, sequence, actor, action, subject, digest), INSERT ON audit_log TO memsieve_keeper;

-- A key of a project is audited in that project's log, one that opens all of them in the server's own.
CREATE FUNCTION api_keys_follow_their_audit_line() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM audit_log
        WHERE project_id = coalesce(NEW.project_id, 'memsieve:server') AND subject = NEW.id AND action = 'key made'
            AND actor = NEW.made_by
    ) THEN
        RAISE EXCEPTION 'a key needs its line in the audit log' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER api_keys_follow_their_audit_line BEFORE INSERT ON api_keys
FOR EACH ROW EXECUTE FUNCTION api_keys_follow_their_audit_line();
CREATE TRIGGER api_keys_are_made_to_be_used BEFORE INSERT ON api_keys
FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION refuse('a key is revoked after it was made');
CREATE TRIGGER api_keys_are_never_changed
BEFORE UPDATE OF id, name, role, project_id, secret_hash, made_at, made_by ON api_keys
FOR EACH ROW EXECUTE FUNCTION refuse('a key is never changed; revoke it and make another');
CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE OF revoked_at, revoked_by ON api_keys
FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION refuse('a key that was revoked stays revoked');
CREATE FUNCTION api_keys_are_revoked_with_a_line_in_the_audit_log() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM audit_log
        WHERE project_id = coalesce(OLD.project_id, 'memsieve:server') AND subject = OLD.id AND action = 'key revoked'
            AND actor = NEW.revoked_by
    ) THEN
        RAISE EXCEPTION 'revoking a key needs its line in the audit log'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER api_keys_are_revoked_with_a_line_in_the_audit_log BEFORE UPDATE OF revoked_at, revoked_by ON api_keys
FOR EACH ROW EXECUTE FUNCTION api_keys_are_revoked_with_a_line_in_the_audit_log();
CREATE TRIGGER api_keys_are_never_removed BEFORE DELETE ON api_keys
FOR EACH ROW EXECUTE FUNCTION refuse('a key is never removed; revoke it');
CREATE TRIGGER api_keys_are_never_emptied BEFORE TRUNCATE ON api_keys
FOR EACH STATEMENT EXECUTE FUNCTION refuse('a key is never removed; revoke it');
