-- Purpose: the schema's version, as the migrations that have succeeded tell it.
-- Rows returned: one. Tables written: none. Locks: none.
create or replace function millrace.schema_version() returns integer
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select max(h.version::integer) from millrace.schema_history h where h.success and h.version is not null $$;
revoke execute on function millrace.schema_version from public;
grant execute on function millrace.schema_version to millrace_relay, millrace_maintenance, millrace_writer, millrace_inbox,
  millrace_reader, millrace_operator;
