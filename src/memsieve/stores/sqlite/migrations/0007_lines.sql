-- All that a line of the audit log is looked for by: with less in the index SQLite read a project's whole log instead, and
-- each promotion took as long as there had been promotions before it.
DROP INDEX audit_log_by_subject;
CREATE INDEX audit_log_by_subject ON audit_log (project_id, subject, action, actor);
