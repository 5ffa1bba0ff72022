-- Purpose: claim one message in the consumer's own transaction, from any language, so that its effect happens once.
-- Call it before the effect. True: the message is new; make its effect now, in this transaction. False: it was applied, or
--   parked, before; do nothing. Commit, and only then the offset at Kafka.
-- consumer: the consumer's name for good, which ids go by.
-- message_id: the header ce_id.
-- message_time: the message's own immutable time; only used, and then needed, if the id is no UUIDv7.
-- Rows returned: one. Tables written: inbox. Locks: as in millrace.inbox_claim; waits while another open transaction has
--   claimed the same message, and finds it new if that one rolls back.
-- Errors: MR002 when the message is so old that its id is not kept any more, or further ahead than ids are kept yet: it
--   cannot be told from a repeat, so put it aside. 22023 for a wrong name, id or time. 25001 unless in READ COMMITTED. 55000
--   when the buckets of the inbox have not been made.
create or replace function millrace.apply_once(
  consumer text, message_id uuid, message_time timestamptz default null)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  time_ms bigint;
  status  text;
begin
  if coalesce(apply_once.consumer, '') !~ '^[a-zA-Z0-9._-]{1,100}$' then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'millrace.apply_once: consumer must be 1 to 100 of a-z A-Z 0-9 . _ -, found %L', left(apply_once.consumer, 300));
  end if;
  if apply_once.message_id is null then
    raise exception using errcode = 'invalid_parameter_value', message = 'millrace.apply_once: message_id must not be null';
  end if;
  time_ms := case
    when apply_once.message_id::text ~ '^.{14}7.{4}[89ab]' then millrace.uuid_v7_ms(apply_once.message_id)
    when isfinite(apply_once.message_time) then floor(extract(epoch from apply_once.message_time) * 1000)::bigint
  end;
  if time_ms is null then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'millrace.apply_once: message_id %s is no UUIDv7, so message_time must be given and finite, found %s',
      apply_once.message_id, coalesce(apply_once.message_time::text, 'null'));
  end if;
  select c.status into strict status
  from millrace.inbox_claim(apply_once.consumer, array[apply_once.message_id], array[time_ms], '{}', '{}', false) c;
  if status not in ('new', 'duplicate') then
    raise exception using errcode = 'MR002', message = format(
      'millrace.apply_once: message %s of %s is outside of what consumer %s keeps ids of: %s',
      apply_once.message_id, to_timestamp(time_ms / 1000.0), apply_once.consumer, status);
  end if;
  return status = 'new';
end
$$;
revoke execute on function millrace.apply_once from public;
grant execute on function millrace.apply_once to millrace_inbox;
