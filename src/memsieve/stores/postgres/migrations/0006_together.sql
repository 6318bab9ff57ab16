-- What is done for each of many rows, or planned anew for each question, is done and planned once.
SET LOCAL ROLE memsieve_owner;

-- A key to another table looks up and locks one row there for each that comes. Approvals and memories are never changed,
-- removed or emptied: it is enough that a row has its own there when it comes, and all that come are looked at together.
-- For memories `memories_hold_approved_text_only` does that already.
ALTER TABLE memories DROP CONSTRAINT memories_project_id_approval_id_fkey;
ALTER TABLE memory_words DROP CONSTRAINT memory_words_project_id_sequence_fkey;
ALTER TABLE memory_vectors DROP CONSTRAINT memory_vectors_project_id_sequence_fkey;

CREATE FUNCTION only_memories_are_searched() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM written w LEFT JOIN LATERAL (
            SELECT m.sequence FROM memories m WHERE m.project_id = w.project_id AND m.sequence = w.sequence OFFSET 0
        ) m ON true
        WHERE m.sequence IS NULL
    ) THEN
        RAISE EXCEPTION 'only what is in long-term memory is searched'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER only_memories_are_searched AFTER INSERT ON memory_words
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION only_memories_are_searched();
CREATE TRIGGER only_memories_are_searched AFTER INSERT ON memory_vectors
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION only_memories_are_searched();
CREATE TRIGGER words_stay_with_their_memory BEFORE UPDATE OF project_id, sequence ON memory_words
FOR EACH ROW EXECUTE FUNCTION refuse('what a memory is searched by stays with it');
CREATE TRIGGER vectors_stay_with_their_memory BEFORE UPDATE OF project_id, sequence ON memory_vectors
FOR EACH ROW EXECUTE FUNCTION refuse('what a memory is searched by stays with it');

-- Triggers alone write these, of rows whose project's name was checked already.
ALTER TABLE word_counts DROP CONSTRAINT projects_have_names;
ALTER TABLE project_sizes DROP CONSTRAINT projects_have_names;
ALTER TABLE vector_sizes DROP CONSTRAINT projects_have_names;

-- Whoever counts a project's words holds the row of its size first: nobody else adds to the words meanwhile, and none has
-- to be added on trial.
CREATE OR REPLACE FUNCTION words_are_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    one integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO project_sizes AS s (project_id, texts, length)
    SELECT project_id, one * count(*), one * sum(length) FROM changed GROUP BY project_id ORDER BY project_id
    ON CONFLICT (project_id) DO UPDATE SET texts = s.texts + excluded.texts, length = s.length + excluded.length;
    MERGE INTO word_counts c USING (
        SELECT project_id, word, one * count(*) AS holding
        FROM (SELECT project_id, unnest(words) AS word FROM changed) held GROUP BY 1, 2 ORDER BY 1, 2
    ) h ON c.project_id = h.project_id AND c.word = h.word
    WHEN MATCHED THEN UPDATE SET holding = c.holding + h.holding
    WHEN NOT MATCHED THEN INSERT (project_id, word, holding) VALUES (h.project_id, h.word, h.holding);
    RETURN NULL;
END
$$;

-- Return what a search in the asking project goes by: how many texts there are and how long they are together, how many
-- hold each of the words, how many vectors there are in each language, Chinese last, and the index over them.
CREATE FUNCTION search_sizes(asked integer[], asked_embedder text, asked_dimensions integer) RETURNS TABLE (
    texts bigint, length bigint, holding bigint[], vectors bigint[], indexed bigint, ef_search integer
) LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    asking text := asking_project();
BEGIN
    RETURN QUERY SELECT s.texts, s.length,
        ARRAY(
            SELECT coalesce(
                (SELECT c.holding FROM word_counts c WHERE c.project_id = asking AND c.word = w.word), 0
            ) FROM unnest(asked) w (word)
        ),
        ARRAY(
            SELECT coalesce(
                (
                    SELECT v.vectors FROM vector_sizes v
                    WHERE v.project_id = asking AND v.embedder = asked_embedder AND v.chinese = l.chinese
                ), 0
            ) FROM unnest(ARRAY[false, true]) l (chinese)
        ),
        i.vectors, i.ef_search
    FROM project_sizes s LEFT JOIN vector_indexes i
        ON i.embedder = asked_embedder AND i.dimensions = asked_dimensions AND i.ef_search IS NOT NULL
    WHERE s.project_id = asking;
END
$$;
GRANT EXECUTE ON FUNCTION search_sizes TO memsieve_agent, memsieve_filter;

-- Keep an answer of the asking project and what was served in it, in order.
CREATE PROCEDURE serve(
    answer text, to_session text, to_agent text, asked text, answered timestamptz,
    items text[], sources text[], scores double precision[]
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    asking text := asking_project();
BEGIN
    INSERT INTO answers (project_id, id, session_id, agent_id, query, at)
    VALUES (asking, answer, to_session, to_agent, asked, answered);
    INSERT INTO served (project_id, answer_id, session_id, item_id, source, score)
    SELECT asking, answer, to_session, item_id, source, score
    FROM unnest(items, sources, scores) WITH ORDINALITY AS s (item_id, source, score, place) ORDER BY place;
END
$$;
GRANT EXECUTE ON PROCEDURE serve TO memsieve_agent, memsieve_filter;
