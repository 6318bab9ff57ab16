-- The tiers and the ledger, and the walls between them: roles, row-level security by project, and triggers.
-- Every primary key begins with project_id, so that the tables can be distributed by it.

-- Nobody logs in by these roles. The user memsieve connects as is made a member of those it needs, and every transaction
-- takes on one of them:
--   memsieve_agent     records, is served, and reads long-term memory; cannot read quarantine
--   memsieve_filter    the ingress filter and the jobs: decides on entries and makes digests; cannot write long-term memory
--   memsieve_reviewer  a person's deeds
--   memsieve_owner     migrations
--   memsieve_search    owns the one function that searches words, and can do nothing else
DO $$
DECLARE
    role_name text;
    -- Since PostgreSQL 16 a member need not have the right to take a role on.
    may_take  text := CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'memories are in any language: create the database with ENCODING ''UTF8''';
    END IF;
    FOREACH role_name IN ARRAY ARRAY[
        'memsieve_agent', 'memsieve_filter', 'memsieve_reviewer', 'memsieve_owner', 'memsieve_search'
    ] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- made by a migration of another database of this server, just now
        END;
        IF NOT pg_has_role(current_user, role_name, may_take) THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
        END IF;
    END LOOP;
    IF NOT pg_has_role('memsieve_reviewer', 'memsieve_filter', 'MEMBER') THEN
        GRANT memsieve_filter TO memsieve_reviewer;
    END IF;
END
$$;

CREATE EXTENSION IF NOT EXISTS vector;
GRANT USAGE, CREATE ON SCHEMA public TO memsieve_owner;
GRANT USAGE ON SCHEMA public TO memsieve_agent, memsieve_filter, memsieve_reviewer;
ALTER TABLE schema_migrations OWNER TO memsieve_owner;
SET LOCAL ROLE memsieve_owner;
GRANT SELECT ON schema_migrations TO memsieve_agent, memsieve_filter, memsieve_reviewer;

-- The project that a transaction is about; none at all is no project. Asked once in a statement, not for every row.
CREATE FUNCTION asking_project() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.project', true), '');
-- Jobs look after all projects. To read across them is the right of one role, used only where it is asked for; what they
-- write they write project by project.
CREATE FUNCTION asking_across() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('app.across', true) IS NOT DISTINCT FROM 'on' AND current_user = 'memsieve_filter';

-- The walls below are functions. None is for others to call, lest one that has its owner's rights is hung on a table of
-- somebody's own; what is, is granted. And each names where it looks: a temporary table called audit_log is not ours.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- Put a table behind the wall of its projects. Whoever may write a row writes none that memsieve could not read, for it
-- would stop at that row. Which letters there are beyond ASCII not every server knows: at least spaces, arrows and the
-- like, and what nobody sees are no part of a project's name. The years are Python's, less one at the end for sums.
CREATE PROCEDURE wall_off(walled regclass) LANGUAGE plpgsql AS $$
DECLARE
    moment name;
BEGIN
    EXECUTE format(
        'ALTER TABLE %s ADD CONSTRAINT projects_have_names CHECK (
            char_length(project_id) <= 128 AND project_id IS NFC NORMALIZED
            AND project_id ~ ''^[\w\u00aa-\U0010ffff][\w.:@\u00aa-\U0010ffff-]*$''
            AND project_id !~ ''\.\.|[\u00ad\u1680\u180e\u2000-\u206f\u2190-\u245f\u2500-\u2775]''
            AND project_id !~ ''[\u3000-\u3004\ue000-\uf8ff\ufeff]''
        )',
        walled
    );
    FOR moment IN
        SELECT attname FROM pg_catalog.pg_attribute WHERE attrelid = walled AND atttypid = 'timestamptz'::regtype
    LOOP
        EXECUTE format(
            'ALTER TABLE %1$s ADD CHECK (%2$I >= ''0001-01-01 00:00+00'' AND %2$I < ''9999-01-01 00:00+00'')',
            walled, moment
        );
    END LOOP;
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
    EXECUTE format(
        'CREATE POLICY own_project ON %s USING (project_id = (SELECT asking_project()))
            WITH CHECK (project_id = (SELECT asking_project()))',
        walled
    );
    EXECUTE format(
        'CREATE POLICY jobs_read_across ON %s FOR SELECT TO memsieve_filter USING ((SELECT asking_across()))', walled
    );
END
$$;

-- Let these columns of a table take only names: short, without control characters, spaces around or what nobody sees.
CREATE PROCEDURE take_names(named regclass, VARIADIC columns name[]) LANGUAGE plpgsql AS $$
DECLARE
    each name;
BEGIN
    FOREACH each IN ARRAY columns LOOP
        EXECUTE format(
            'ALTER TABLE %1$s ADD CHECK (
                char_length(%2$I) BETWEEN 1 AND 128
                AND %2$I !~ ''[\u0001-\u001f\u007f-\u009f\u00ad\u180e\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]''
                AND %2$I !~ ''^[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]''
                AND %2$I !~ ''[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$''
            )',
            named, each
        );
    END LOOP;
END
$$;

CREATE TABLE quarantine_logs (
    project_id      text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL CHECK (NOT starts_with(id, 'insight-')),
    sequence        bigint GENERATED ALWAYS AS IDENTITY,
    session_id      text COLLATE "C" NOT NULL,
    agent_id        text COLLATE "C",
    node_id         text COLLATE "C",
    confidence      double precision CHECK (confidence BETWEEN 0 AND 1),
    content         text NOT NULL CHECK (content <> ''),
    raw_metadata    json NOT NULL CHECK (json_typeof(raw_metadata) = 'object'),
    created_at      timestamptz NOT NULL,
    idempotency_key text COLLATE "C",
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, idempotency_key)
);
CREATE INDEX quarantine_logs_by_project ON quarantine_logs (project_id, sequence);
CREATE INDEX quarantine_logs_by_session ON quarantine_logs (project_id, session_id, sequence);
CREATE INDEX quarantine_logs_by_time ON quarantine_logs (project_id, created_at) INCLUDE (sequence);
CALL wall_off('quarantine_logs');
CALL take_names('quarantine_logs', 'id', 'session_id', 'agent_id', 'node_id');
-- Not the sequence: a number of one's own choice would be the last.
GRANT INSERT (
    project_id, id, session_id, agent_id, node_id, confidence, content, raw_metadata, created_at, idempotency_key
) ON quarantine_logs TO memsieve_agent;
GRANT SELECT ON quarantine_logs TO memsieve_filter;
GRANT DELETE ON quarantine_logs TO memsieve_reviewer;

-- The filter's decision on each entry, and the entry's vector: what was said is itself never changed.
CREATE TABLE admissions (
    project_id text COLLATE "C" NOT NULL,
    entry_id   text COLLATE "C" NOT NULL,
    sequence   bigint NOT NULL,
    decision   text COLLATE "C" NOT NULL CHECK (decision IN ('admitted', 'refused', 'pending')),
    shadow     text COLLATE "C" CHECK (shadow IN ('admitted', 'refused', 'pending')),
    checks     json NOT NULL CHECK (json_typeof(checks) = 'array'),
    decided_at timestamptz NOT NULL,
    embedder   text COLLATE "C",
    embedding  halfvec,
    PRIMARY KEY (project_id, entry_id),
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
);
CREATE INDEX admissions_by_decision ON admissions (project_id, decision, sequence) INCLUDE (shadow);
CREATE INDEX admissions_waiting ON admissions (project_id) WHERE decision = 'pending';
CREATE INDEX admissions_by_embedder ON admissions (embedder, sequence) WHERE embedder IS NOT NULL;
CALL wall_off('admissions');
GRANT SELECT, UPDATE (decision, shadow, checks, decided_at, embedder, embedding) ON admissions TO memsieve_filter;

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Whatever comes into quarantine waits for the filter's decision. Agents have no right to `admissions` themselves.
CREATE FUNCTION entries_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO admissions (project_id, entry_id, sequence, decision, checks, decided_at)
    SELECT project_id, id, sequence, 'pending', '[]', created_at FROM recorded;
    RETURN NULL;
END
$$;
CREATE TRIGGER entries_wait AFTER INSERT ON quarantine_logs
REFERENCING NEW TABLE AS recorded FOR EACH STATEMENT EXECUTE FUNCTION entries_wait();
CREATE TRIGGER quarantine_logs_are_kept_as_said BEFORE UPDATE ON quarantine_logs
FOR EACH ROW EXECUTE FUNCTION refuse('what was said is never changed');

-- Who did what: each line's digest covers the line before.
CREATE TABLE audit_log (
    project_id text COLLATE "C" NOT NULL,
    sequence   bigint NOT NULL,
    at         timestamptz NOT NULL,
    actor      text COLLATE "C" NOT NULL,
    action     text COLLATE "C" NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    reason     text NOT NULL,
    detail     json NOT NULL CHECK (json_typeof(detail) = 'object'),
    previous   text COLLATE "C" NOT NULL CHECK (previous ~ '^[0-9a-f]{64}$'),
    digest     text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    PRIMARY KEY (project_id, sequence)
);
CREATE INDEX audit_log_by_subject ON audit_log (project_id, subject);
CALL wall_off('audit_log');
GRANT SELECT ON audit_log TO memsieve_filter;
GRANT INSERT ON audit_log TO memsieve_reviewer;

-- Many lines at once are one step of the chain: the first follows the newest before, and each the one before it.
-- Here as below OFFSET 0 has each row looked up by an index: a plan is kept for one row and for many, whatever was
-- thought of the sizes of the tables when it was made. Behind a policy an index takes a plain column only, not a sum.
CREATE FUNCTION audit_log_is_a_chain() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT *, sequence - 1 AS before FROM appended OFFSET 0) a LEFT JOIN LATERAL (
            SELECT b.sequence, b.digest FROM audit_log b
            WHERE b.project_id = a.project_id AND b.sequence = a.before OFFSET 0
        ) b ON true
        WHERE a.previous <> coalesce(b.digest, repeat('0', 64)) OR (b.sequence IS NULL AND a.sequence <> 1)
    ) THEN
        RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_log_is_a_chain AFTER INSERT ON audit_log
REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_a_chain();
CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE OR DELETE ON audit_log
FOR EACH ROW EXECUTE FUNCTION refuse('the audit log is append-only');
CREATE TRIGGER audit_log_is_never_emptied BEFORE TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse('the audit log is append-only');

CREATE FUNCTION deletions_are_audited() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM audit_log WHERE project_id = OLD.project_id AND subject = OLD.id AND action = 'deleted'
    ) THEN
        RAISE EXCEPTION 'only a person deletes from quarantine, and the audit log keeps it'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER quarantine_logs_are_deleted_with_a_line_in_the_audit_log BEFORE DELETE ON quarantine_logs
FOR EACH ROW EXECUTE FUNCTION deletions_are_audited();

-- Long-term memory: what a person approved, in chunks.
CREATE TABLE approvals (
    project_id   text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    sequence     bigint GENERATED ALWAYS AS IDENTITY,
    content      text NOT NULL CHECK (content <> ''),
    content_hash text COLLATE "C" NOT NULL,
    promoted_by  text COLLATE "C" NOT NULL CHECK (trim(promoted_by) <> ''),
    promoted_at  timestamptz NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX approvals_by_content ON approvals (project_id, content_hash);
CREATE INDEX approvals_by_project ON approvals (project_id, sequence);
CALL wall_off('approvals');
GRANT SELECT ON approvals TO memsieve_agent, memsieve_filter;
GRANT INSERT ON approvals TO memsieve_reviewer;

CREATE TABLE approval_sources (
    project_id  text COLLATE "C" NOT NULL,
    approval_id text COLLATE "C" NOT NULL,
    entry_id    text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, approval_id, entry_id),
    FOREIGN KEY (project_id, approval_id) REFERENCES approvals (project_id, id)
);
CREATE INDEX approval_sources_by_entry ON approval_sources (project_id, entry_id);
CALL wall_off('approval_sources');
GRANT SELECT ON approval_sources TO memsieve_agent, memsieve_filter;
GRANT INSERT ON approval_sources TO memsieve_reviewer;

CREATE TABLE retirements (
    project_id  text COLLATE "C" NOT NULL,
    approval_id text COLLATE "C" NOT NULL,
    retired_by  text COLLATE "C" NOT NULL CHECK (trim(retired_by) <> ''),
    retired_at  timestamptz NOT NULL,
    reason      text NOT NULL,
    PRIMARY KEY (project_id, approval_id),
    FOREIGN KEY (project_id, approval_id) REFERENCES approvals (project_id, id)
);
CALL wall_off('retirements');
GRANT SELECT ON retirements TO memsieve_agent, memsieve_filter;
GRANT INSERT ON retirements TO memsieve_reviewer;

-- By the rights of whoever asks, not of its owner, as every view here.
CREATE VIEW reviewed WITH (security_invoker = true) AS
SELECT p.*, r.retired_at, r.retired_by, r.reason AS retired_reason
FROM approvals p LEFT JOIN retirements r ON r.project_id = p.project_id AND r.approval_id = p.id;
GRANT SELECT ON reviewed TO memsieve_agent, memsieve_filter;

CREATE TABLE memories (
    project_id  text COLLATE "C" NOT NULL,
    id          text COLLATE "C" NOT NULL,
    sequence    bigint GENERATED ALWAYS AS IDENTITY,
    approval_id text COLLATE "C" NOT NULL,
    position    integer NOT NULL,
    content     text NOT NULL CHECK (length(content) BETWEEN 1 AND 500),
    embedder    text COLLATE "C",
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, sequence),
    UNIQUE (project_id, approval_id, position),
    FOREIGN KEY (project_id, approval_id) REFERENCES approvals (project_id, id)
);
CREATE INDEX memories_by_embedder ON memories (embedder, project_id, sequence) WHERE embedder IS NOT NULL;
CALL wall_off('memories');
GRANT SELECT ON memories TO memsieve_agent, memsieve_filter;
GRANT UPDATE (embedder) ON memories TO memsieve_filter;
GRANT INSERT ON memories TO memsieve_reviewer;

CREATE FUNCTION memories_hold_approved_text_only() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM written w LEFT JOIN LATERAL (
            SELECT p.id, p.content FROM approvals p WHERE p.project_id = w.project_id AND p.id = w.approval_id OFFSET 0
        ) p ON true
        WHERE p.id IS NULL OR strpos(p.content, w.content) = 0
    ) THEN
        RAISE EXCEPTION 'long-term memory takes only text that a person approved'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER memories_hold_approved_text_only AFTER INSERT ON memories
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION memories_hold_approved_text_only();
CREATE TRIGGER memories_are_kept_as_approved
BEFORE UPDATE OF project_id, id, sequence, approval_id, position, content ON memories
FOR EACH ROW EXECUTE FUNCTION refuse('a verified memory is never changed; retire it and promote another');
CREATE TRIGGER memories_are_never_removed BEFORE DELETE ON memories
FOR EACH ROW EXECUTE FUNCTION refuse('a verified memory is never removed; retire it');

CREATE FUNCTION approvals_follow_their_audit_line() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM written w LEFT JOIN LATERAL (
            SELECT a.subject FROM audit_log a WHERE a.project_id = w.project_id AND a.subject = w.id
                AND a.action = 'promoted' AND a.actor = w.promoted_by OFFSET 0
        ) a ON true
        WHERE a.subject IS NULL
    ) THEN
        RAISE EXCEPTION 'an approval needs its line in the audit log' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER approvals_follow_their_audit_line AFTER INSERT ON approvals
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION approvals_follow_their_audit_line();
CREATE TRIGGER approvals_are_append_only BEFORE UPDATE OR DELETE ON approvals
FOR EACH ROW EXECUTE FUNCTION refuse('approvals are append-only');
CREATE TRIGGER approval_sources_are_append_only BEFORE UPDATE OR DELETE ON approval_sources
FOR EACH ROW EXECUTE FUNCTION refuse('approvals are append-only');
CREATE TRIGGER retirements_are_append_only BEFORE UPDATE OR DELETE ON retirements
FOR EACH ROW EXECUTE FUNCTION refuse('retirements are append-only');
CREATE TRIGGER approvals_are_never_emptied BEFORE TRUNCATE ON approvals
FOR EACH STATEMENT EXECUTE FUNCTION refuse('approvals are append-only');
CREATE TRIGGER memories_are_never_emptied BEFORE TRUNCATE ON memories
FOR EACH STATEMENT EXECUTE FUNCTION refuse('a verified memory is never removed; retire it');

CREATE TABLE tombstones (
    project_id   text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    sequence     bigint GENERATED ALWAYS AS IDENTITY,
    kind         text COLLATE "C" NOT NULL CHECK (kind IN ('dismissed', 'retired')),
    source_id    text COLLATE "C" NOT NULL,
    content      text NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    words        text NOT NULL,
    embedder     text COLLATE "C",
    embedding    halfvec,
    buried_by    text COLLATE "C" NOT NULL CHECK (trim(buried_by) <> ''),
    buried_at    timestamptz NOT NULL,
    reason       text NOT NULL,
    lifted_at    timestamptz,
    PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX tombstones_one_per_source ON tombstones (project_id, source_id) WHERE lifted_at IS NULL;
CREATE INDEX tombstones_by_project ON tombstones (project_id, sequence) WHERE lifted_at IS NULL;
CREATE INDEX tombstones_by_content ON tombstones (project_id, content_hash) WHERE lifted_at IS NULL;
CREATE INDEX tombstones_by_embedder ON tombstones (embedder, project_id, sequence) WHERE embedder IS NOT NULL;
CALL wall_off('tombstones');
GRANT SELECT, UPDATE (embedder, embedding) ON tombstones TO memsieve_filter;
GRANT INSERT, UPDATE (lifted_at) ON tombstones TO memsieve_reviewer;

CREATE TRIGGER tombstones_are_never_changed
BEFORE UPDATE OF project_id, id, sequence, kind, source_id, content, content_hash, words, buried_by, buried_at, reason
ON tombstones FOR EACH ROW EXECUTE FUNCTION refuse('a tombstone is never changed, only lifted');
CREATE TRIGGER tombstones_stay_lifted BEFORE UPDATE OF lifted_at ON tombstones
FOR EACH ROW WHEN (OLD.lifted_at IS NOT NULL) EXECUTE FUNCTION refuse('a tombstone that was lifted stays lifted');
CREATE TRIGGER tombstones_are_never_removed BEFORE DELETE ON tombstones
FOR EACH ROW EXECUTE FUNCTION refuse('a tombstone is never removed, only lifted');

-- How often each project's tombstones changed, so that every process knows when those it holds are out of date.
CREATE TABLE revisions (
    project_id text COLLATE "C" PRIMARY KEY,
    added      bigint NOT NULL DEFAULT 0,
    removed    bigint NOT NULL DEFAULT 0
);
CALL wall_off('revisions');
GRANT SELECT ON revisions TO memsieve_filter;

CREATE FUNCTION tombstones_count_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO revisions (project_id, added) SELECT project_id, max(sequence) FROM written GROUP BY project_id
    ON CONFLICT (project_id) DO UPDATE SET added = greatest(revisions.added, excluded.added);
    RETURN NULL;
END
$$;
CREATE TRIGGER tombstones_count_added AFTER INSERT ON tombstones
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION tombstones_count_added();
CREATE FUNCTION tombstones_count_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE revisions r SET removed = r.removed + 1
    WHERE r.project_id IN (SELECT project_id FROM changed);
    RETURN NULL;
END
$$;
CREATE TRIGGER tombstones_count_removed AFTER UPDATE ON tombstones
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tombstones_count_removed();

-- What was served to whom.
CREATE TABLE answers (
    project_id text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    session_id text COLLATE "C",
    agent_id   text COLLATE "C",
    query      text NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (project_id, id)
);
CALL wall_off('answers');
GRANT INSERT ON answers TO memsieve_agent, memsieve_filter;
GRANT SELECT ON answers TO memsieve_filter;

CREATE TABLE served (
    project_id text COLLATE "C" NOT NULL,
    sequence   bigint GENERATED ALWAYS AS IDENTITY,
    answer_id  text COLLATE "C" NOT NULL,
    session_id text COLLATE "C",
    item_id    text COLLATE "C" NOT NULL,
    source     text COLLATE "C" NOT NULL CHECK (source IN ('hot', 'cold')),
    score      double precision NOT NULL,
    PRIMARY KEY (project_id, sequence)
);
CREATE INDEX served_by_session ON served (project_id, session_id, sequence) WHERE session_id IS NOT NULL;
CREATE INDEX served_by_item ON served (project_id, item_id);
CALL wall_off('served');
GRANT INSERT (project_id, answer_id, session_id, item_id, source, score) ON served TO memsieve_agent, memsieve_filter;
GRANT SELECT ON served TO memsieve_filter;

-- The names of all projects, kept so that nobody has to look for them in all that was ever said.
CREATE TABLE projects (
    project_id text COLLATE "C" PRIMARY KEY
);
CALL wall_off('projects');
GRANT SELECT ON projects TO memsieve_filter;
CREATE FUNCTION projects_are_known() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO projects (project_id)
    SELECT DISTINCT w.project_id FROM written w
    WHERE NOT EXISTS (SELECT FROM projects p WHERE p.project_id = w.project_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER projects_are_known AFTER INSERT ON quarantine_logs
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION projects_are_known();
CREATE TRIGGER projects_are_known AFTER INSERT ON approvals
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION projects_are_known();
