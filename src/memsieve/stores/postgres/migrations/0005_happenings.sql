-- What happened, for those who watch a project: which entry, memory or digest, never what it says. Triggers write it in
-- the transaction of the deed, so that every door and job does. It is kept for a day. Nobody is notified: NOTIFY would
-- have all commits wait for each other. Readers look again.
SET LOCAL ROLE memsieve_owner;

-- A number is drawn before the commit: a reader who remembers the last number misses one that was drawn before and
-- is committed after. So a row names its transaction, too, and readers take only rows of transactions before the oldest
-- that still runs, in the order of both: no other can appear among them any more.
CREATE TABLE happenings (
    project_id     text COLLATE "C" NOT NULL,
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    sequence       bigint GENERATED ALWAYS AS IDENTITY,
    kind           text COLLATE "C" NOT NULL CHECK (
        kind IN ('recorded', 'admitted', 'refused', 'knowledge:updated', 'digest:ready', 'promoted', 'retired')
    ),
    subject        text COLLATE "C" NOT NULL,
    at             timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, transaction_id, sequence)
);
CREATE INDEX happenings_in_order ON happenings (transaction_id, sequence);
CALL wall_off('happenings');
-- Triggers alone write here, of rows whose project's name was checked already: to do so again would take half as long as
-- all the rest.
ALTER TABLE happenings DROP CONSTRAINT projects_have_names;
-- They write for whoever did the deed, also an administrator who names no project.
CREATE POLICY triggers_write ON happenings FOR INSERT TO memsieve_owner WITH CHECK (true);
GRANT SELECT ON happenings TO memsieve_agent, memsieve_filter;
GRANT DELETE ON happenings TO memsieve_filter;

-- A year that is imported is no news.
CREATE FUNCTION recordings_happen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO happenings (project_id, kind, subject)
    SELECT project_id, 'recorded', id FROM written WHERE created_at >= now() - interval '1 day';
    RETURN NULL;
END
$$;
CREATE TRIGGER recordings_happen AFTER INSERT ON quarantine_logs
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION recordings_happen();

-- An entry that waits and was not tried for a day is old history, too.
CREATE FUNCTION decisions_happen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO happenings (project_id, kind, subject) VALUES (NEW.project_id, NEW.decision, NEW.entry_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER decisions_happen AFTER UPDATE OF decision ON admissions FOR EACH ROW
WHEN (
    NEW.decision <> OLD.decision AND NEW.decision <> 'pending'
    AND (OLD.decision <> 'pending' OR OLD.decided_at >= now() - interval '1 day')
)
EXECUTE FUNCTION decisions_happen();

-- Many memories that are written together are one piece of news, which names the last of them.
CREATE FUNCTION deeds_happen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO happenings (project_id, kind, subject)
    SELECT a.project_id, told.kind, a.subject
    FROM (
        SELECT project_id, count(*) AS deeds, max(sequence) AS newest FROM appended
        WHERE action IN ('promoted', 'retired') GROUP BY project_id
    ) d
        JOIN appended a ON a.project_id = d.project_id AND a.sequence = d.newest
        CROSS JOIN LATERAL (VALUES (1, a.action), (2, 'knowledge:updated')) AS told (place, kind)
    WHERE d.deeds = 1 OR told.kind = 'knowledge:updated'
    ORDER BY a.project_id, told.place;
    RETURN NULL;
END
$$;
CREATE TRIGGER deeds_happen AFTER INSERT ON audit_log
REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION deeds_happen();

-- A digest is known by when it was made.
CREATE FUNCTION digests_happen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO happenings (project_id, kind, subject)
    VALUES (
        NEW.project_id, 'digest:ready', to_char(NEW.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    );
    RETURN NULL;
END
$$;
CREATE TRIGGER digests_happen AFTER INSERT ON digests FOR EACH ROW EXECUTE FUNCTION digests_happen();
