-- The users that log in. Run it with psql as an administrator, after `memsieve migrate` has made the roles, and again
-- whenever a password changes:
--   APP_PASSWORD=… WORKER_PASSWORD=… psql --file=users.sql "$ADMIN_URL"
\set ON_ERROR_STOP on
\getenv app_password APP_PASSWORD
\getenv worker_password WORKER_PASSWORD

BEGIN;
SELECT format('CREATE ROLE %I', name)
FROM unnest(ARRAY['memsieve_app', 'memsieve_worker']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

-- A password that is not set is a syntax error here, and nothing is changed.
ALTER ROLE memsieve_app LOGIN PASSWORD :'app_password';
ALTER ROLE memsieve_worker LOGIN PASSWORD :'worker_password';

-- For programs through which agents record and ask, and people decide. Each transaction takes on one of these roles.
GRANT memsieve_agent, memsieve_filter, memsieve_reviewer, memsieve_keeper TO memsieve_app;
-- Workers decide on entries that wait, make digests and vectors. They have no right to write long-term memory.
GRANT memsieve_filter TO memsieve_worker;
COMMIT;
