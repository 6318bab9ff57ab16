-- Of a mixed entry only the passages that are worth remembering are admitted, and served: where they stand in the content.
-- And the key or program that an entry came by, as the server knows it.
SET LOCAL ROLE memsieve_owner;

ALTER TABLE admissions ADD COLUMN passages json CHECK (json_typeof(passages) = 'array');
GRANT UPDATE (passages) ON admissions TO memsieve_filter;

ALTER TABLE quarantine_logs ADD COLUMN recorded_by text COLLATE "C";
CALL take_names('quarantine_logs', 'recorded_by');
GRANT INSERT (recorded_by) ON quarantine_logs TO memsieve_agent;
