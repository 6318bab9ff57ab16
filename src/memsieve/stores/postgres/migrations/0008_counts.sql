-- Words are looked up one by one, whatever is thought of the sizes of the tables. A MERGE read all words of a project for
-- each that came, until somebody had counted them: an import into a project of a few thousand took seconds for it.
SET LOCAL ROLE memsieve_owner;

CREATE OR REPLACE FUNCTION words_are_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    one integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO project_sizes AS s (project_id, texts, length)
    SELECT project_id, one * count(*), one * sum(length) FROM changed GROUP BY project_id ORDER BY project_id
    ON CONFLICT (project_id) DO UPDATE SET texts = s.texts + excluded.texts, length = s.length + excluded.length;
    INSERT INTO word_counts AS c (project_id, word, holding)
    SELECT project_id, word, one * count(*)
    FROM (SELECT project_id, unnest(words) AS word FROM changed) held GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (project_id, word) DO UPDATE SET holding = c.holding + excluded.holding;
    RETURN NULL;
END
$$;
