-- Purpose: the slot that new messages go to, as writers see it: the sequence, not the table of slots, is the truth.
create or replace function millrace.ring_current() returns smallint
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$ select pg_sequence_last_value('millrace.ring_slot'::regclass)::smallint $$;
revoke execute on function millrace.ring_current from public;
grant execute on function millrace.ring_current to millrace_relay, millrace_maintenance, millrace_reader;
