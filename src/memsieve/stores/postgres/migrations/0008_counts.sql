-- Each word is looked up by the index, whatever is thought of the sizes of the tables: before somebody had counted them, the
-- words of a project were held in memory and all read for each that came. An import into a project of a few thousand took
-- seconds for it.
SET LOCAL ROLE memsieve_owner;

ALTER FUNCTION words_are_counted() SET enable_material = off;
ALTER FUNCTION words_are_counted() SET enable_memoize = off;
