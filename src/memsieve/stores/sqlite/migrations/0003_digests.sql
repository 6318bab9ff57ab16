-- Insights, the digests that made them, and what a person decided on each. A decision stands for good, and so does what
-- was decided on; only while an insight waits may the next digest change it. As before, REPLACE removes rows without
-- asking the triggers on DELETE: those on INSERT turn it away, and no key is ever updated.

-- A window of days is found without reading the years before it.
CREATE INDEX quarantine_logs_by_time ON quarantine_logs (project_id, created_at);

CREATE TABLE insights (
    sequence      INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id    TEXT NOT NULL,
    id            TEXT NOT NULL,
    content       TEXT NOT NULL CHECK (length(content) > 0),
    summarised_by TEXT NOT NULL,
    note          TEXT,
    refinement    TEXT NOT NULL,
    nearest       TEXT,
    disputes      TEXT NOT NULL,
    made_at       TEXT NOT NULL,
    embedder      TEXT,
    embedding     BLOB,
    review        TEXT CHECK (review IN ('promoted', 'dismissed')),
    settled_by    TEXT CHECK (length(trim(settled_by)) > 0),
    settled_at    TEXT,
    reason        TEXT,
    memory_id     TEXT,
    UNIQUE (project_id, id),
    CHECK ((review IS NULL) = (settled_by IS NULL)),
    CHECK ((review IS NULL) = (settled_at IS NULL)),
    CHECK ((review IS NULL) = (reason IS NULL)),
    CHECK ((review IS 'promoted') = (memory_id IS NOT NULL))
) STRICT;
CREATE INDEX insights_waiting ON insights (project_id, made_at) WHERE review IS NULL;
CREATE INDEX insights_by_embedder ON insights (embedder) WHERE embedder IS NOT NULL;

CREATE TABLE insight_sources (
    project_id TEXT NOT NULL,
    insight_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,
    position   INTEGER NOT NULL,
    quote      TEXT NOT NULL,
    doubt      TEXT CHECK (doubt IN ('injection', 'echo', 'inconsistent', 'contrary')),
    later      INTEGER NOT NULL CHECK (later IN (0, 1)),
    PRIMARY KEY (project_id, insight_id, entry_id),
    FOREIGN KEY (project_id, insight_id) REFERENCES insights (project_id, id) ON DELETE CASCADE,
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX insight_sources_by_entry ON insight_sources (project_id, entry_id);

-- Entries whose insight went before anybody decided on it: the next digest looks at them again, however old they are.
CREATE TABLE unplaced (
    project_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,
    PRIMARY KEY (project_id, entry_id),
    FOREIGN KEY (project_id, entry_id) REFERENCES quarantine_logs (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE digests (
    sequence   INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    made_at    TEXT NOT NULL,
    since      TEXT NOT NULL,
    entries    INTEGER NOT NULL,
    set_aside  TEXT NOT NULL
) STRICT;
CREATE INDEX digests_by_project ON digests (project_id, sequence);

-- Which weekly digest was taken last, when, and the newest that was made, each by the time it was due.
CREATE TABLE digest_runs (
    project_id TEXT PRIMARY KEY,
    due        TEXT NOT NULL,
    taken_at   TEXT NOT NULL,
    made       TEXT
) STRICT, WITHOUT ROWID;

CREATE TRIGGER insights_are_made_to_wait BEFORE INSERT ON insights WHEN NEW.review IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an insight waits until a person decides on it'); END;
CREATE TRIGGER insights_that_are_settled_are_never_replaced BEFORE INSERT ON insights
WHEN EXISTS (
    SELECT 1 FROM insights
    WHERE review IS NOT NULL AND (sequence = NEW.sequence OR (project_id = NEW.project_id AND id = NEW.id))
)
BEGIN SELECT RAISE(ABORT, 'a settled insight is never changed'); END;
CREATE TRIGGER insights_that_are_settled_are_never_removed BEFORE DELETE ON insights WHEN OLD.review IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a settled insight is never removed'); END;
CREATE TRIGGER insights_keep_their_place BEFORE UPDATE OF sequence, project_id, id ON insights
BEGIN SELECT RAISE(ABORT, 'an insight keeps its id'); END;
CREATE TRIGGER insights_that_are_settled_are_never_changed
BEFORE UPDATE OF content, summarised_by, note, refinement, nearest, made_at, review, settled_by, settled_at, reason,
    memory_id ON insights
WHEN OLD.review IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a settled insight is never changed'); END;

CREATE TRIGGER insights_are_promoted_with_their_approval BEFORE UPDATE OF review ON insights
WHEN NEW.review = 'promoted' AND NOT EXISTS (
    SELECT 1 FROM approvals p JOIN audit_log a ON a.project_id = p.project_id AND a.subject = p.id
    WHERE p.project_id = NEW.project_id AND p.id = NEW.memory_id AND a.action = 'promoted'
        AND a.actor = NEW.settled_by AND json_extract(a.detail, '$.insight') = NEW.id
)
BEGIN SELECT RAISE(ABORT, 'a promoted insight needs its approval and its line in the audit log'); END;
CREATE TRIGGER insights_are_dismissed_with_a_line_in_the_audit_log BEFORE UPDATE OF review ON insights
WHEN NEW.review = 'dismissed' AND NOT EXISTS (
    SELECT 1 FROM audit_log
    WHERE project_id = NEW.project_id AND subject = NEW.id AND action = 'dismissed' AND actor = NEW.settled_by
)
BEGIN SELECT RAISE(ABORT, 'a dismissed insight needs its line in the audit log'); END;

CREATE TRIGGER insight_sources_are_never_changed BEFORE UPDATE ON insight_sources
BEGIN SELECT RAISE(ABORT, 'the sources of an insight are never changed'); END;
CREATE TRIGGER insight_sources_join_a_settled_insight_later BEFORE INSERT ON insight_sources
WHEN NEW.later = 0 AND EXISTS (
    SELECT 1 FROM insights WHERE project_id = NEW.project_id AND id = NEW.insight_id AND review IS NOT NULL
)
BEGIN SELECT RAISE(ABORT, 'a settled insight keeps the sources it was decided on with'); END;
CREATE TRIGGER insight_sources_keep_the_first BEFORE INSERT ON insight_sources
WHEN EXISTS (
    SELECT 1 FROM insight_sources
    WHERE project_id = NEW.project_id AND insight_id = NEW.insight_id AND entry_id = NEW.entry_id
)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER insight_sources_of_a_settled_insight_stay BEFORE DELETE ON insight_sources
WHEN EXISTS (
    SELECT 1 FROM insights WHERE project_id = OLD.project_id AND id = OLD.insight_id AND review IS NOT NULL
) AND EXISTS (SELECT 1 FROM quarantine_logs WHERE project_id = OLD.project_id AND id = OLD.entry_id)
BEGIN SELECT RAISE(ABORT, 'a settled insight keeps the sources it was decided on with'); END;

-- Whoever deletes an entry wants its words gone. An insight that waits goes with it, since its summary may hold them.
CREATE TRIGGER insights_that_wait_go_with_an_entry BEFORE DELETE ON quarantine_logs
BEGIN
    INSERT INTO unplaced (project_id, entry_id)
    SELECT s.project_id, s.entry_id
    FROM insight_sources gone
        CROSS JOIN insights i ON i.project_id = gone.project_id AND i.id = gone.insight_id
        CROSS JOIN insight_sources s ON s.project_id = i.project_id AND s.insight_id = i.id
    WHERE gone.project_id = OLD.project_id AND gone.entry_id = OLD.id AND i.review IS NULL AND s.entry_id <> OLD.id
    ON CONFLICT DO NOTHING;
    DELETE FROM insights WHERE project_id = OLD.project_id AND review IS NULL AND id IN (
        SELECT insight_id FROM insight_sources WHERE project_id = OLD.project_id AND entry_id = OLD.id
    );
END;
-- A settled insight loses its quotes of the entry: the source by the foreign key, and every dispute with it here. No
-- other change of its disputes is let through.
CREATE VIEW standing_disputes AS
SELECT i.project_id, i.id, (
    SELECT json_group_array(json(d.value)) FROM json_each(i.disputes) d
    WHERE EXISTS (
        SELECT 1 FROM insight_sources s WHERE s.project_id = i.project_id AND s.insight_id = i.id
            AND s.entry_id = json_extract(d.value, '$.first_id')
    ) AND EXISTS (
        SELECT 1 FROM insight_sources s WHERE s.project_id = i.project_id AND s.insight_id = i.id
            AND s.entry_id = json_extract(d.value, '$.second_id')
    )
) AS disputes
FROM insights i;
CREATE TRIGGER insights_lose_disputes_with_an_entry AFTER DELETE ON insight_sources
WHEN EXISTS (
    SELECT 1 FROM insights WHERE project_id = OLD.project_id AND id = OLD.insight_id AND review IS NOT NULL
)
BEGIN
    UPDATE insights SET disputes = (
        SELECT d.disputes FROM standing_disputes d WHERE d.project_id = OLD.project_id AND d.id = OLD.insight_id
    )
    WHERE project_id = OLD.project_id AND id = OLD.insight_id;
END;
CREATE TRIGGER insights_that_are_settled_keep_their_disputes BEFORE UPDATE OF disputes ON insights
WHEN OLD.review IS NOT NULL AND NEW.disputes IS NOT (
    SELECT d.disputes FROM standing_disputes d WHERE d.project_id = OLD.project_id AND d.id = OLD.id
)
BEGIN SELECT RAISE(ABORT, 'a settled insight is never changed'); END;
