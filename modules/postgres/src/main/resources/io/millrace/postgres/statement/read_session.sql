-- Purpose: tell which session answers, and for how long it lets a statement run. Simple protocol: a pooler's sessions do not
-- know each other's prepared statements.
-- Rows returned: one. Tables written: none. Locks: none.
select pg_backend_pid() as process_id,
       (select setting::bigint from pg_settings where name = 'statement_timeout') as statement_timeout_ms
