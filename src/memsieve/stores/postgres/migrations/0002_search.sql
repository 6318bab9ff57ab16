-- What long-term memory is searched by: vectors and words of the living memories, and the counts that BM25 needs.

GRANT USAGE, CREATE ON SCHEMA public TO memsieve_search;
SET LOCAL ROLE memsieve_owner;

-- Rows of vectors and words are kept whole: fetching them from elsewhere would take longer than comparing them.
-- A memory has one vector for each embedder that has read it. HNSW indexes are made for each embedder when it has a
-- project that is too large to be searched without.
CREATE TABLE memory_vectors (
    project_id text COLLATE "C" NOT NULL,
    sequence   bigint NOT NULL,
    embedder   text COLLATE "C" NOT NULL,
    at         timestamptz NOT NULL,
    chinese    boolean NOT NULL,
    embedding  halfvec NOT NULL,
    PRIMARY KEY (project_id, sequence, embedder),
    FOREIGN KEY (project_id, sequence) REFERENCES memories (project_id, sequence)
) WITH (toast_tuple_target = 8160);
CREATE INDEX memory_vectors_by_language ON memory_vectors (project_id, embedder, chinese, at);
CALL wall_off('memory_vectors');
GRANT SELECT ON memory_vectors TO memsieve_agent;
GRANT SELECT, INSERT, DELETE ON memory_vectors TO memsieve_filter;

-- A word is a number made of the project's name and the word, so that the index leads to one project's texts only.
-- `counts` says how often each is there, as n / (n + BM25's saturation): one product with the weights of a question's
-- words ranks a text.
CREATE TABLE memory_words (
    project_id text COLLATE "C" NOT NULL,
    sequence   bigint NOT NULL,
    at         timestamptz NOT NULL,
    chinese    boolean NOT NULL,
    length     integer NOT NULL,
    words      integer[] NOT NULL,
    counts     sparsevec(1000000000) NOT NULL,
    PRIMARY KEY (project_id, sequence),
    FOREIGN KEY (project_id, sequence) REFERENCES memories (project_id, sequence)
) WITH (toast_tuple_target = 8160);
-- What is not in its place yet is read whole by every search: no more of it than takes a tenth of a millisecond.
CREATE INDEX memory_words_by_word ON memory_words USING gin (words) WITH (gin_pending_list_limit = 64);
CALL wall_off('memory_words');
GRANT SELECT ON memory_words TO memsieve_agent, memsieve_filter;
GRANT INSERT ON memory_words TO memsieve_reviewer;
GRANT USAGE ON SEQUENCE memories_sequence_seq TO memsieve_reviewer;

-- How many living texts hold each word.
CREATE TABLE word_counts (
    project_id text COLLATE "C" NOT NULL,
    word       integer NOT NULL,
    holding    bigint NOT NULL,
    PRIMARY KEY (project_id, word)
) WITH (fillfactor = 80);
CALL wall_off('word_counts');
GRANT SELECT ON word_counts TO memsieve_agent, memsieve_filter;

-- How many living texts there are, and how many words they have together.
CREATE TABLE project_sizes (
    project_id text COLLATE "C" PRIMARY KEY,
    texts      bigint NOT NULL,
    length     bigint NOT NULL
) WITH (fillfactor = 50);
CALL wall_off('project_sizes');
GRANT SELECT ON project_sizes TO memsieve_agent, memsieve_filter;

-- How many of them an embedder has read: by this a search chooses its way.
CREATE TABLE vector_sizes (
    project_id text COLLATE "C" NOT NULL,
    embedder   text COLLATE "C" NOT NULL,
    chinese    boolean NOT NULL,
    vectors    bigint NOT NULL,
    PRIMARY KEY (project_id, embedder, chinese)
) WITH (fillfactor = 50);
CALL wall_off('vector_sizes');
GRANT SELECT ON vector_sizes TO memsieve_agent, memsieve_filter;

-- What each HNSW index was found to be worth: the share of the nearest vectors that it finds, when it held so many, and
-- how far it has to look for that; no `ef_search` means that it finds too few and is not to be used. An index is over all
-- projects' vectors, and so this is about no project; only the owner, who makes the indexes, writes it.
CREATE TABLE vector_indexes (
    embedder    text COLLATE "C" NOT NULL,
    dimensions  integer NOT NULL,
    vectors     bigint NOT NULL,
    recall      double precision NOT NULL CHECK (recall BETWEEN 0 AND 1),
    ef_search   integer CHECK (ef_search BETWEEN 1 AND 1000),
    measured_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (embedder, dimensions)
);
GRANT SELECT ON vector_indexes TO memsieve_agent, memsieve_filter;

-- In one order, so that no two wait for each other.
CREATE FUNCTION words_are_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    one integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO project_sizes AS s (project_id, texts, length)
    SELECT project_id, one * count(*), one * sum(length) FROM changed GROUP BY project_id ORDER BY project_id
    ON CONFLICT (project_id) DO UPDATE SET texts = s.texts + excluded.texts, length = s.length + excluded.length;
    INSERT INTO word_counts AS c (project_id, word, holding)
    SELECT project_id, word, one * count(*) FROM changed CROSS JOIN unnest(words) word GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (project_id, word) DO UPDATE SET holding = c.holding + excluded.holding;
    RETURN NULL;
END
$$;
CREATE TRIGGER words_are_counted AFTER INSERT ON memory_words
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION words_are_counted();
CREATE TRIGGER words_are_counted_out AFTER DELETE ON memory_words
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION words_are_counted();

CREATE FUNCTION vectors_are_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    one integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO vector_sizes AS s (project_id, embedder, chinese, vectors)
    SELECT project_id, embedder, chinese, one * count(*) FROM changed GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, embedder, chinese) DO UPDATE SET vectors = s.vectors + excluded.vectors;
    RETURN NULL;
END
$$;
CREATE TRIGGER vectors_are_counted AFTER INSERT ON memory_vectors
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION vectors_are_counted();
CREATE TRIGGER vectors_are_counted_out AFTER DELETE ON memory_vectors
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION vectors_are_counted();

-- Only living memories are searched.
CREATE FUNCTION retired_memories_are_not_searched() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    DELETE FROM memory_words w USING retired r JOIN memories m USING (project_id, approval_id)
    WHERE w.project_id = m.project_id AND w.sequence = m.sequence;
    DELETE FROM memory_vectors v USING retired r JOIN memories m USING (project_id, approval_id)
    WHERE v.project_id = m.project_id AND v.sequence = m.sequence;
    RETURN NULL;
END
$$;
CREATE TRIGGER retired_memories_are_not_searched AFTER INSERT ON retirements
REFERENCING NEW TABLE AS retired FOR EACH STATEMENT EXECUTE FUNCTION retired_memories_are_not_searched();

-- Behind a row-level policy no index over words could be used, since `&&` might tell of other rows by its errors. So
-- the function below reads without one, and keeps to the asking project itself.
GRANT SELECT ON memory_words TO memsieve_search;
CREATE POLICY search_reads_all ON memory_words FOR SELECT TO memsieve_search USING (true);
SET LOCAL ROLE memsieve_search;

-- Return the `best` texts by the weights of a question's words, among those that hold one word of `alone` or all words
-- of an array in `together`. If that brings too few, any that holds a word of `otherwise`, at most `most` of them.
CREATE FUNCTION best_by_words(
    alone integer[], together text[], otherwise integer[], weights sparsevec, shortest double precision,
    per_word double precision, since timestamptz, most integer, best integer
) RETURNS TABLE (sequence bigint) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 40
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    asking text := asking_project();
    found_rows integer;
BEGIN
    -- IS TRUE keeps the planner from going through all texts of the project instead of those with a word.
    RETURN QUERY SELECT f.sequence FROM (
        SELECT w.sequence, (w.counts <#> weights) / (shortest + per_word * w.length) AS score FROM memory_words w
        WHERE w.words && alone AND (w.project_id = asking) IS TRUE AND (since IS NULL OR w.at >= since)
        UNION
        SELECT c.sequence, c.score FROM unnest(together) t CROSS JOIN LATERAL (
            SELECT w.sequence, (w.counts <#> weights) / (shortest + per_word * w.length) AS score FROM memory_words w
            WHERE w.words @> t::integer[] AND (w.project_id = asking) IS TRUE AND (since IS NULL OR w.at >= since)
            LIMIT most
        ) c
    ) f ORDER BY f.score LIMIT best;
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    IF found_rows < best AND cardinality(otherwise) > 0 THEN
        RETURN QUERY SELECT f.sequence FROM (
            SELECT w.sequence, (w.counts <#> weights) / (shortest + per_word * w.length) AS score FROM memory_words w
            WHERE w.words && otherwise AND (w.project_id = asking) IS TRUE AND (since IS NULL OR w.at >= since)
            LIMIT most
        ) f ORDER BY f.score LIMIT best;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION best_by_words FROM PUBLIC;
GRANT EXECUTE ON FUNCTION best_by_words TO memsieve_agent, memsieve_filter, memsieve_reviewer;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM memsieve_search;
