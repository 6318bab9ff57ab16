-- Where a verified text was said, if it was made of one entry: neighbours in a session lend each other words in a search.
-- It is copied from the entry when a person approves the text, so that no search has to look into quarantine. As for
-- words and vectors, only living memories have one.
SET LOCAL ROLE memsieve_owner;

CREATE TABLE memory_places (
    project_id text COLLATE "C" NOT NULL,
    sequence   bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    said_at    timestamptz NOT NULL,
    PRIMARY KEY (project_id, sequence)
);
CREATE INDEX memory_places_in_order ON memory_places (project_id, session_id, said_at, sequence);
CALL wall_off('memory_places');
CALL take_names('memory_places', 'session_id');
GRANT SELECT ON memory_places TO memsieve_agent, memsieve_filter;
GRANT INSERT ON memory_places TO memsieve_reviewer;

-- Whoever migrates may be no superuser: the owner sees all projects while the walls are not for it, too.
ALTER TABLE memory_places NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE approval_sources NO FORCE ROW LEVEL SECURITY;
ALTER TABLE retirements NO FORCE ROW LEVEL SECURITY;
ALTER TABLE quarantine_logs NO FORCE ROW LEVEL SECURITY;
INSERT INTO memory_places (project_id, sequence, session_id, said_at)
SELECT m.project_id, m.sequence, q.session_id, q.created_at
FROM (
    SELECT project_id, approval_id, min(entry_id) AS entry_id FROM approval_sources
    GROUP BY project_id, approval_id HAVING count(*) = 1
) s
JOIN memories m ON m.project_id = s.project_id AND m.approval_id = s.approval_id
JOIN quarantine_logs q ON q.project_id = s.project_id AND q.id = s.entry_id
WHERE NOT EXISTS (SELECT FROM retirements r WHERE r.project_id = s.project_id AND r.approval_id = s.approval_id);
ALTER TABLE memory_places FORCE ROW LEVEL SECURITY;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
ALTER TABLE approval_sources FORCE ROW LEVEL SECURITY;
ALTER TABLE retirements FORCE ROW LEVEL SECURITY;
ALTER TABLE quarantine_logs FORCE ROW LEVEL SECURITY;

CREATE TRIGGER only_memories_are_searched AFTER INSERT ON memory_places
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION only_memories_are_searched();
CREATE TRIGGER memories_keep_their_place BEFORE UPDATE ON memory_places
FOR EACH ROW EXECUTE FUNCTION refuse('where a verified text was said is never changed');

CREATE OR REPLACE FUNCTION retired_memories_are_not_searched() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    DELETE FROM memory_words w USING retired r JOIN memories m USING (project_id, approval_id)
    WHERE w.project_id = m.project_id AND w.sequence = m.sequence;
    DELETE FROM memory_vectors v USING retired r JOIN memories m USING (project_id, approval_id)
    WHERE v.project_id = m.project_id AND v.sequence = m.sequence;
    DELETE FROM memory_places w USING retired r JOIN memories m USING (project_id, approval_id)
    WHERE w.project_id = m.project_id AND w.sequence = m.sequence;
    RETURN NULL;
END
$$;
