-- Purpose: keep a received message that is not applied, in the transaction that moves the consumer past it.
-- Rows returned: one: false when it is parked already.
-- Tables written: inbox_parked. Locks: the row's own.
create or replace function millrace.inbox_park(
  p_consumer text, p_message_id uuid, p_time_ms bigint,
  p_topic text, p_topic_id uuid, p_topic_partition integer, p_offset bigint, p_leader_epoch integer,
  p_record_time_ms bigint, p_key bytea, p_payload bytea, p_header_names text[], p_header_values bytea[],
  p_reason text, p_blocks_key boolean, p_error text, p_attempts integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  insert into millrace.inbox_parked (consumer, message_id, message_time, topic, topic_id, topic_partition, record_offset,
    leader_epoch, record_time, record_key, payload, header_names, header_values, reason, blocks_key, error, attempts)
  values (p_consumer, p_message_id, millrace.bounded_time(p_time_ms), p_topic, p_topic_id, p_topic_partition, p_offset,
    p_leader_epoch, millrace.bounded_time(p_record_time_ms), p_key, p_payload, p_header_names, p_header_values,
    p_reason, p_blocks_key, p_error, p_attempts)
  on conflict do nothing;
  return found;
end
$$;

-- Foreign senders write any number; a timestamp ends somewhere.
create or replace function millrace.bounded_time(p_ms bigint) returns timestamptz
  language sql immutable strict parallel safe
  as $$ select to_timestamp(greatest(-62135596800, least(253402300799, p_ms / 1000.0))) $$;
revoke execute on function millrace.inbox_park, millrace.bounded_time from public;
grant execute on function millrace.inbox_park to millrace_inbox;
