-- What happened, for those who watch a project: which entry, memory or digest, never what it says. Triggers write it in
-- the transaction of the deed, so that every door and job does. It is kept for a day.
-- The sequence is the position of a reader who goes on later. One transaction writes at a time and commits before the next
-- one draws a number, so that no number appears behind one that was read; AUTOINCREMENT gives none of them twice, also
-- after the newest were forgotten.

CREATE TABLE happenings (
    sequence   INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (
        kind IN ('recorded', 'admitted', 'refused', 'knowledge:updated', 'digest:ready', 'promoted', 'retired')
    ),
    subject    TEXT NOT NULL,
    at         TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))
) STRICT;
CREATE INDEX happenings_by_project ON happenings (project_id, sequence);

-- A year that is imported is no news.
CREATE TRIGGER recordings_happen AFTER INSERT ON quarantine_logs
WHEN NEW.created_at >= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '-1 day')
BEGIN
    INSERT INTO happenings (project_id, kind, subject) VALUES (NEW.project_id, 'recorded', NEW.id);
END;
-- An entry that waits and was not tried for a day is old history, too.
CREATE TRIGGER decisions_happen AFTER UPDATE OF decision ON admissions
WHEN NEW.decision <> OLD.decision AND NEW.decision <> 'pending'
    AND (OLD.decision <> 'pending' OR OLD.decided_at >= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '-1 day'))
BEGIN
    INSERT INTO happenings (project_id, kind, subject) VALUES (NEW.project_id, NEW.decision, NEW.entry_id);
END;

-- Many memories that are written together are one piece of news. Triggers here see one row after the other: who writes
-- many names the project in this table before, and the last of them afterwards, within the same transaction.
CREATE TABLE deeds_together (
    project_id TEXT PRIMARY KEY,
    newest     TEXT
) STRICT, WITHOUT ROWID;

CREATE TRIGGER deeds_happen AFTER INSERT ON audit_log
WHEN NEW.action IN ('promoted', 'retired')
    AND NOT EXISTS (SELECT 1 FROM deeds_together WHERE project_id = NEW.project_id)
BEGIN
    INSERT INTO happenings (project_id, kind, subject)
    VALUES (NEW.project_id, NEW.action, NEW.subject), (NEW.project_id, 'knowledge:updated', NEW.subject);
END;
CREATE TRIGGER deeds_together_happen_once AFTER UPDATE OF newest ON deeds_together
BEGIN
    INSERT INTO happenings (project_id, kind, subject) VALUES (NEW.project_id, 'knowledge:updated', NEW.newest);
    DELETE FROM deeds_together WHERE project_id = NEW.project_id;
END;

-- A digest is known by when it was made.
CREATE TRIGGER digests_happen AFTER INSERT ON digests
BEGIN
    INSERT INTO happenings (project_id, kind, subject) VALUES (NEW.project_id, 'digest:ready', NEW.made_at);
END;
