-- Insights, the digests that made them, and what a person decided on each. A decision stands for good, and so does what
-- was decided on; only while an insight waits may the next digest change it.
SET LOCAL ROLE memsieve_owner;

CREATE TABLE insights (
    project_id    text COLLATE "C" NOT NULL,
    id            text COLLATE "C" NOT NULL,
    sequence      bigint GENERATED ALWAYS AS IDENTITY,
    content       text NOT NULL CHECK (content <> ''),
    summarised_by text COLLATE "C" NOT NULL,
    note          text,
    refinement    json NOT NULL,
    nearest       json,
    disputes      json NOT NULL,
    made_at       timestamptz NOT NULL,
    embedder      text COLLATE "C",
    embedding     halfvec,
    review        text COLLATE "C" CHECK (review IN ('promoted', 'dismissed')),
    settled_by    text COLLATE "C" CHECK (trim(settled_by) <> ''),
    settled_at    timestamptz,
    reason        text,
    memory_id     text COLLATE "C",
    PRIMARY KEY (project_id, id),
    CHECK ((review IS NULL) = (settled_by IS NULL)),
    CHECK ((review IS NULL) = (settled_at IS NULL)),
    CHECK ((review IS NULL) = (reason IS NULL)),
    CHECK ((review IS NOT DISTINCT FROM 'promoted') = (memory_id IS NOT NULL))
);
CREATE INDEX insights_waiting ON insights (project_id, made_at) WHERE review IS NULL;
CREATE INDEX insights_by_embedder ON insights (embedder, project_id, sequence) WHERE embedder IS NOT NULL;
CALL wall_off('insights');
GRANT SELECT, INSERT, DELETE, UPDATE (embedder, embedding) ON insights TO memsieve_filter;
GRANT UPDATE (review, settled_by, settled_at, reason, memory_id) ON insights TO memsieve_reviewer;

CREATE TABLE insight_sources (
    project_id text COLLATE "C" NOT NULL,
    insight_id text COLLATE "C" NOT NULL,
    entry_id   text COLLATE "C" NOT NULL,
    position   integer NOT NULL,
    quote      text NOT NULL,
    doubt      text COLLATE "C" CHECK (doubt IN ('injection', 'echo', 'inconsistent', 'contrary')),
    later      boolean NOT NULL,
    PRIMARY KEY (project_id, insight_id, entry_id),
    FOREIGN KEY (project_id, insight_id) REFERENCES insights (project_id, id) ON DELETE CASCADE,
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
);
CREATE INDEX insight_sources_by_entry ON insight_sources (project_id, entry_id);
CALL wall_off('insight_sources');
GRANT SELECT, INSERT ON insight_sources TO memsieve_filter;

-- Entries whose insight went before anybody decided on it: the next digest looks at them again, however old they are.
CREATE TABLE unplaced (
    project_id text COLLATE "C" NOT NULL,
    entry_id   text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, entry_id),
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
);
CALL wall_off('unplaced');
GRANT SELECT, INSERT, DELETE ON unplaced TO memsieve_filter;

CREATE TABLE digests (
    project_id text COLLATE "C" NOT NULL,
    sequence   bigint GENERATED ALWAYS AS IDENTITY,
    made_at    timestamptz NOT NULL,
    since      timestamptz NOT NULL,
    entries    integer NOT NULL,
    set_aside  json NOT NULL,
    PRIMARY KEY (project_id, sequence)
);
CALL wall_off('digests');
GRANT SELECT, INSERT ON digests TO memsieve_filter;

-- Which weekly digest was taken last, when (never, once it was released), and the newest that was made, each by the time
-- it was due.
CREATE TABLE digest_runs (
    project_id text COLLATE "C" PRIMARY KEY,
    due        timestamptz NOT NULL,
    taken_at   timestamptz,
    made       timestamptz
);
CALL wall_off('digest_runs');
GRANT SELECT, INSERT, UPDATE ON digest_runs TO memsieve_filter;

CREATE TRIGGER insights_are_made_to_wait BEFORE INSERT ON insights FOR EACH ROW WHEN (NEW.review IS NOT NULL)
EXECUTE FUNCTION refuse('an insight waits until a person decides on it');
CREATE TRIGGER insights_that_are_settled_are_never_removed BEFORE DELETE ON insights
FOR EACH ROW WHEN (OLD.review IS NOT NULL) EXECUTE FUNCTION refuse('a settled insight is never removed');
CREATE TRIGGER insights_are_never_emptied BEFORE TRUNCATE ON insights
FOR EACH STATEMENT EXECUTE FUNCTION refuse('a settled insight is never removed');
CREATE TRIGGER insights_keep_their_place BEFORE UPDATE OF sequence, project_id, id ON insights
FOR EACH ROW EXECUTE FUNCTION refuse('an insight keeps its id');
CREATE TRIGGER insights_that_are_settled_are_never_changed
BEFORE UPDATE OF content, summarised_by, note, refinement, nearest, made_at, review, settled_by, settled_at, reason,
    memory_id ON insights
FOR EACH ROW WHEN (OLD.review IS NOT NULL) EXECUTE FUNCTION refuse('a settled insight is never changed');

CREATE FUNCTION insights_are_promoted_with_their_approval() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM approvals p JOIN audit_log a ON a.project_id = p.project_id AND a.subject = p.id
        WHERE p.project_id = NEW.project_id AND p.id = NEW.memory_id AND a.action = 'promoted'
            AND a.actor = NEW.settled_by AND a.detail ->> 'insight' = NEW.id
    ) THEN
        RAISE EXCEPTION 'a promoted insight needs its approval and its line in the audit log'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER insights_are_promoted_with_their_approval BEFORE UPDATE OF review ON insights
FOR EACH ROW WHEN (NEW.review = 'promoted') EXECUTE FUNCTION insights_are_promoted_with_their_approval();

CREATE FUNCTION insights_are_dismissed_with_a_line_in_the_audit_log() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM audit_log
        WHERE project_id = NEW.project_id AND subject = NEW.id AND action = 'dismissed' AND actor = NEW.settled_by
    ) THEN
        RAISE EXCEPTION 'a dismissed insight needs its line in the audit log'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER insights_are_dismissed_with_a_line_in_the_audit_log BEFORE UPDATE OF review ON insights
FOR EACH ROW WHEN (NEW.review = 'dismissed') EXECUTE FUNCTION insights_are_dismissed_with_a_line_in_the_audit_log();

CREATE TRIGGER insight_sources_are_never_changed BEFORE UPDATE ON insight_sources
FOR EACH ROW EXECUTE FUNCTION refuse('the sources of an insight are never changed');
CREATE FUNCTION insight_sources_join_a_settled_insight_later() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM insights WHERE project_id = NEW.project_id AND id = NEW.insight_id AND review IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'a settled insight keeps the sources it was decided on with'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER insight_sources_join_a_settled_insight_later BEFORE INSERT ON insight_sources
FOR EACH ROW WHEN (NOT NEW.later) EXECUTE FUNCTION insight_sources_join_a_settled_insight_later();
CREATE FUNCTION insight_sources_of_a_settled_insight_stay() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM insights WHERE project_id = OLD.project_id AND id = OLD.insight_id AND review IS NOT NULL
    ) AND EXISTS (SELECT FROM quarantine_logs WHERE project_id = OLD.project_id AND id = OLD.entry_id) THEN
        RAISE EXCEPTION 'a settled insight keeps the sources it was decided on with'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER insight_sources_of_a_settled_insight_stay BEFORE DELETE ON insight_sources
FOR EACH ROW EXECUTE FUNCTION insight_sources_of_a_settled_insight_stay();
CREATE TRIGGER insight_sources_are_never_emptied BEFORE TRUNCATE ON insight_sources
FOR EACH STATEMENT EXECUTE FUNCTION refuse('a settled insight keeps the sources it was decided on with');

-- Whoever deletes an entry wants its words gone. An insight that waits goes with it, since its summary may hold them.
CREATE FUNCTION insights_that_wait_go_with_an_entry() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO unplaced (project_id, entry_id)
    SELECT s.project_id, s.entry_id
    FROM insight_sources gone
        JOIN insights i ON i.project_id = gone.project_id AND i.id = gone.insight_id
        JOIN insight_sources s ON s.project_id = i.project_id AND s.insight_id = i.id
    WHERE gone.project_id = OLD.project_id AND gone.entry_id = OLD.id AND i.review IS NULL AND s.entry_id <> OLD.id
    ON CONFLICT DO NOTHING;
    DELETE FROM insights WHERE project_id = OLD.project_id AND review IS NULL AND id IN (
        SELECT insight_id FROM insight_sources WHERE project_id = OLD.project_id AND entry_id = OLD.id
    );
    RETURN OLD;
END
$$;
CREATE TRIGGER insights_that_wait_go_with_an_entry BEFORE DELETE ON quarantine_logs
FOR EACH ROW EXECUTE FUNCTION insights_that_wait_go_with_an_entry();

-- A settled insight loses its quotes of the entry: the source by the foreign key, and every dispute with it here. No
-- other change of its disputes is let through.
CREATE FUNCTION standing_disputes(of_project text, of_insight text) RETURNS json LANGUAGE sql STABLE
SET search_path = public, pg_temp AS $$
    SELECT ('[' || coalesce(string_agg(d.value::text, ',' ORDER BY d.place), '') || ']')::json
    FROM insights i, json_array_elements(i.disputes) WITH ORDINALITY AS d (value, place)
    WHERE i.project_id = of_project AND i.id = of_insight
        AND EXISTS (
            SELECT FROM insight_sources s WHERE s.project_id = i.project_id AND s.insight_id = i.id
                AND s.entry_id = d.value ->> 'first_id'
        )
        AND EXISTS (
            SELECT FROM insight_sources s WHERE s.project_id = i.project_id AND s.insight_id = i.id
                AND s.entry_id = d.value ->> 'second_id'
        )
$$;
CREATE FUNCTION insights_lose_disputes_with_an_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE insights SET disputes = standing_disputes(OLD.project_id, OLD.insight_id)
    WHERE project_id = OLD.project_id AND id = OLD.insight_id AND review IS NOT NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER insights_lose_disputes_with_an_entry AFTER DELETE ON insight_sources
FOR EACH ROW EXECUTE FUNCTION insights_lose_disputes_with_an_entry();
CREATE FUNCTION insights_that_are_settled_keep_their_disputes() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.disputes::text <> standing_disputes(OLD.project_id, OLD.id)::text THEN
        RAISE EXCEPTION 'a settled insight is never changed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER insights_that_are_settled_keep_their_disputes BEFORE UPDATE OF disputes ON insights
FOR EACH ROW WHEN (OLD.review IS NOT NULL) EXECUTE FUNCTION insights_that_are_settled_keep_their_disputes();
