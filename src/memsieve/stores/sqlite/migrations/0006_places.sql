-- Where a verified text was said, if it was made of one entry: neighbours in a session lend each other words in a search.
-- It is copied from the entry when a person approves the text, so that no search has to look into quarantine.

CREATE TABLE memory_places (
    sequence   INTEGER PRIMARY KEY REFERENCES memories (sequence),
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL CHECK (length(session_id) > 0),
    said_at    TEXT NOT NULL
) STRICT;

INSERT INTO memory_places (sequence, project_id, session_id, said_at)
SELECT m.sequence, m.project_id, q.session_id, q.created_at
FROM (
    SELECT project_id, approval_id, min(entry_id) AS entry_id FROM approval_sources
    GROUP BY project_id, approval_id HAVING count(*) = 1
) s
JOIN memories m ON m.project_id = s.project_id AND m.approval_id = s.approval_id
JOIN quarantine_logs q ON q.project_id = s.project_id AND q.id = s.entry_id;

CREATE TRIGGER only_memories_have_places
BEFORE INSERT ON memory_places
WHEN NOT EXISTS (SELECT 1 FROM memories WHERE sequence = NEW.sequence AND project_id = NEW.project_id)
    OR EXISTS (SELECT 1 FROM memory_places WHERE sequence = NEW.sequence)
BEGIN
    SELECT RAISE(ABORT, 'a place is of one memory, and where a verified text was said is never changed');
END;
CREATE TRIGGER memories_keep_their_place BEFORE UPDATE ON memory_places
BEGIN SELECT RAISE(ABORT, 'where a verified text was said is never changed'); END;
CREATE TRIGGER memories_never_lose_their_place BEFORE DELETE ON memory_places
BEGIN SELECT RAISE(ABORT, 'where a verified text was said is never changed'); END;
