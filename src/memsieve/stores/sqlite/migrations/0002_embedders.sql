-- Vectors of another embedder are made again: what is the same already, how the rest is found, and who is told.

-- The bundled model learnt Chinese and changed its name. Of plain ASCII, as many bytes as characters, it makes the same
-- vectors as before. A decided entry without an embedder is one that the first model could not read; from now on only
-- an entry that has no decision yet has none.
UPDATE quarantine_logs
SET embedder = CASE
    WHEN length(content) = length(CAST(content AS BLOB)) THEN 'all-MiniLM-L6-v2-zh-int8' ELSE 'all-MiniLM-L6-v2-int8'
END
WHERE (embedder = 'all-MiniLM-L6-v2-int8' AND length(content) = length(CAST(content AS BLOB)))
    OR (embedder IS NULL AND EXISTS (
        SELECT 1 FROM admissions a
        WHERE a.project_id = quarantine_logs.project_id AND a.entry_id = quarantine_logs.id AND a.decision <> 'pending'
    ));
UPDATE working SET embedder = 'all-MiniLM-L6-v2-zh-int8'
WHERE embedder = 'all-MiniLM-L6-v2-int8' AND length(content) = length(CAST(content AS BLOB));
UPDATE memories SET embedder = 'all-MiniLM-L6-v2-zh-int8'
WHERE embedder = 'all-MiniLM-L6-v2-int8' AND length(content) = length(CAST(content AS BLOB));
UPDATE tombstones SET embedder = 'all-MiniLM-L6-v2-zh-int8'
WHERE embedder = 'all-MiniLM-L6-v2-int8' AND length(content) = length(CAST(content AS BLOB));

CREATE INDEX quarantine_logs_by_embedder ON quarantine_logs (embedder) WHERE embedder IS NOT NULL;
CREATE INDEX working_by_embedder ON working (embedder) WHERE embedder IS NOT NULL;
CREATE INDEX memories_by_embedder ON memories (embedder, project_id) WHERE embedder IS NOT NULL;
CREATE INDEX tombstones_by_embedder ON tombstones (embedder, project_id) WHERE embedder IS NOT NULL;

-- To load a large index takes seconds: the processes that hold one are told when the last vector of a former embedder
-- is gone from the project, not after each.
DROP TRIGGER memories_count_rebuilt;
CREATE TRIGGER memories_count_rebuilt AFTER UPDATE ON memories
WHEN NEW.embedder IS OLD.embedder
    OR NOT EXISTS (SELECT 1 FROM memories WHERE embedder = OLD.embedder AND project_id = NEW.project_id)
BEGIN
    UPDATE revisions SET removed = removed + 1 WHERE project_id = NEW.project_id AND kind = 'memories';
END;
DROP TRIGGER tombstones_count_removed;
CREATE TRIGGER tombstones_count_removed AFTER UPDATE ON tombstones
WHEN NEW.embedder IS OLD.embedder
    OR NOT EXISTS (SELECT 1 FROM tombstones WHERE embedder = OLD.embedder AND project_id = NEW.project_id)
BEGIN
    UPDATE revisions SET removed = removed + 1 WHERE project_id = NEW.project_id AND kind = 'tombstones';
END;
CREATE TRIGGER working_count_rebuilt AFTER UPDATE ON working
BEGIN
    INSERT INTO revisions (project_id, kind, removed) VALUES (NEW.project_id, 'working', 1)
    ON CONFLICT DO UPDATE SET removed = removed + 1;
END;
