-- Of a mixed entry only the passages that are worth remembering are admitted, and served: where they stand in the content.
-- And the key or program that an entry came by, as the server knows it.

ALTER TABLE admissions ADD COLUMN passages TEXT CHECK (json_type(passages) = 'array');
ALTER TABLE quarantine_logs ADD COLUMN recorded_by TEXT;
ALTER TABLE working ADD COLUMN recorded_by TEXT;

DROP TRIGGER quarantine_logs_are_kept_as_said;
CREATE TRIGGER quarantine_logs_are_kept_as_said
BEFORE UPDATE OF
    project_id, id, session_id, agent_id, node_id, confidence, content, raw_metadata, created_at, recorded_by
ON quarantine_logs
BEGIN
    SELECT RAISE(ABORT, 'what was said is never changed');
END;

DROP TRIGGER working_takes_admitted_entries_only;
CREATE TRIGGER working_takes_admitted_entries_only
BEFORE INSERT ON working
WHEN NOT EXISTS (
    SELECT 1 FROM admissions a JOIN quarantine_logs q ON q.project_id = a.project_id AND q.id = a.entry_id
    WHERE a.project_id = NEW.project_id AND a.entry_id = NEW.entry_id AND a.decision = 'admitted'
        AND NEW.content = CASE WHEN a.passages IS NULL THEN q.content ELSE (
            SELECT group_concat(substr(q.content, start + 1, "end" - start), char(10)) FROM (
                SELECT json_extract(value, '$[0]') AS start, json_extract(value, '$[1]') AS "end"
                FROM json_each(a.passages) ORDER BY key
            )
        ) END
)
BEGIN
    SELECT RAISE(ABORT, 'only the ingress filter admits into working memory');
END;
