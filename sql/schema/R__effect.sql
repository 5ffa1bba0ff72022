-- Purpose: remember calls to the outside, each in a transaction of its own, so that a redelivery after a crash knows
--   whether a call was made, and how it ended.
--
--   effect_begin    before the call: 'started' the first time; 'repeated' when a call was begun and its outcome is not
--                   known; 'finished' with the outcome when there is nothing to call any more
--   effect_finish   after the call; returns the outcome that counts: the first one recorded
--
-- The buckets are the inbox's: a bucket is kept while any transaction that may have claimed one of its messages runs.
-- Tables written: effect. Locks: the row's own; waits for a call of the same step that is being recorded.
-- Errors: 23514 when the message's bucket is not there.
create or replace function millrace.effect_begin(p_consumer text, p_message_id uuid, p_time_ms bigint, p_step text)
returns table (state text, outcome bytea)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  recorded record;
begin
  insert into millrace.effect (bucket, consumer, message_id, step, event)
  values (millrace.bucket_of(p_time_ms), p_consumer, p_message_id, p_step, 'started')
  on conflict do nothing;
  if found then
    return query select 'started', null::bytea;
    return;
  end if;
  select e.outcome into recorded from millrace.effect e
  where e.bucket = millrace.bucket_of(p_time_ms) and e.consumer = p_consumer and e.message_id = p_message_id
    and e.step = p_step and e.event = 'finished';
  if found then
    return query select 'finished', recorded.outcome;
  else
    return query select 'repeated', null::bytea;
  end if;
end
$$;

create or replace function millrace.effect_finish(
  p_consumer text, p_message_id uuid, p_time_ms bigint, p_step text, p_outcome bytea)
returns bytea
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  counts bytea;
begin
  insert into millrace.effect (bucket, consumer, message_id, step, event, outcome)
  values (millrace.bucket_of(p_time_ms), p_consumer, p_message_id, p_step, 'finished', p_outcome)
  on conflict do nothing;
  select e.outcome into counts from millrace.effect e
  where e.bucket = millrace.bucket_of(p_time_ms) and e.consumer = p_consumer and e.message_id = p_message_id
    and e.step = p_step and e.event = 'finished';
  return counts;
end
$$;
revoke execute on function millrace.effect_begin, millrace.effect_finish from public;
grant execute on function millrace.effect_begin, millrace.effect_finish to millrace_inbox;
