-- Purpose: let what a consumer has parked be applied after all, when it comes again: a replay of the outbox that it came from.
--   The messages' ids and parked rows go, so that a repeat is as new as the first time, and no key waits for them any more.
-- What is not forgotten together is not applied in order: name keys, not single messages, where the consumer keeps order.
-- p_record_key: of the Kafka record, as text. Filters that are null do not restrict; at least one must be given.
-- Rows returned: how many parked messages are forgotten. A consumer that was parking another one behind them meanwhile has
--   not seen it: call again until none is left.
-- Tables written: audit, inbox_parked, inbox. Locks: the rows'.
-- Errors: 22023 names what is missing.
create or replace function millrace.forget_parked(
  p_actor text, p_reason text, p_consumer text, p_message_ids uuid[] default null, p_topic text default null,
  p_record_key text default null, p_parked_before timestamptz default null)
returns bigint
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  forgotten bigint;
begin
  if coalesce(trim(p_actor), '') = '' or coalesce(trim(p_reason), '') = '' then
    raise exception 'forgetting parked messages needs the name of who asks for it and a reason'
      using errcode = 'invalid_parameter_value';
  end if;
  if p_consumer is null or (p_message_ids is null and p_topic is null and p_record_key is null and p_parked_before is null) then
    raise exception 'forgetting parked messages needs a consumer, and message ids, a topic, a record key or a time'
      using errcode = 'invalid_parameter_value';
  end if;
  with gone as (
    delete from millrace.inbox_parked p
    where p.consumer = p_consumer
      and (p_message_ids is null or p.message_id = any(p_message_ids))
      and (p_topic is null or p.topic = p_topic)
      and (p_record_key is null or p.record_key = convert_to(p_record_key, 'UTF8'))
      and (p_parked_before is null or p.parked_at < p_parked_before)
    returning p.message_id, millrace.bucket_of((extract(epoch from p.message_time) * 1000)::bigint) as bucket),
  unclaimed as (
    delete from millrace.inbox i using gone g
    where i.consumer = p_consumer and i.bucket = g.bucket and i.message_id = g.message_id)
  select count(*) into forgotten from gone;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'forget_parked', p_reason, jsonb_strip_nulls(jsonb_build_object(
    'consumer', p_consumer, 'message_ids', to_jsonb(p_message_ids), 'topic', p_topic, 'record_key', p_record_key,
    'parked_before', p_parked_before, 'forgotten', forgotten)));
  return forgotten;
end
$$;
revoke execute on function millrace.forget_parked from public;
grant execute on function millrace.forget_parked to millrace_operator;
