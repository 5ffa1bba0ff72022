-- Purpose: what an operator asks for. The request is recorded here; the shard's owner carries it out in its own stream.
-- Filters that are null do not restrict; at least one must be given, so that nothing is asked for by mistake.
-- Rows returned: how many parked messages the request concerns.
-- Tables written: audit, parked, blocked_key. Locks: the keys' rows, in order, before the messages', as everywhere.
-- Errors: 22023 names what is missing.

-- Redrive: published again, each after the earlier ones of its key. A message behind one that stays parked waits for it.
create or replace function millrace.redrive(
  p_actor text, p_reason text default null, p_message_ids uuid[] default null, p_topic text default null,
  p_aggregate_type text default null, p_aggregate_id text default null, p_parked_before timestamptz default null)
returns bigint
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  return millrace.want_parked('redrive', p_actor, p_reason, p_message_ids, p_topic, p_aggregate_type, p_aggregate_id,
    p_parked_before);
end
$$;

-- Discard: never published. A reason is required. What waited behind goes out.
create or replace function millrace.discard(
  p_actor text, p_reason text, p_message_ids uuid[] default null, p_topic text default null,
  p_aggregate_type text default null, p_aggregate_id text default null, p_parked_before timestamptz default null)
returns bigint
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if coalesce(trim(p_reason), '') = '' then
    raise exception 'discarding messages needs a reason, found none' using errcode = 'invalid_parameter_value';
  end if;
  return millrace.want_parked('discard', p_actor, p_reason, p_message_ids, p_topic, p_aggregate_type, p_aggregate_id,
    p_parked_before);
end
$$;

-- Not callable by itself.
create or replace function millrace.want_parked(
  p_want text, p_actor text, p_reason text, p_message_ids uuid[], p_topic text, p_aggregate_type text,
  p_aggregate_id text, p_parked_before timestamptz)
returns bigint
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  request bigint;
  concerned bigint;
  concerns record;
begin
  if coalesce(trim(p_actor), '') = '' then
    raise exception 'a % needs the name of who asks for it, found none', p_want using errcode = 'invalid_parameter_value';
  end if;
  if p_message_ids is null and p_topic is null and p_aggregate_type is null and p_aggregate_id is null
     and p_parked_before is null then
    raise exception 'a % needs message ids, a topic, an aggregate or a time, found none of them', p_want
      using errcode = 'invalid_parameter_value';
  end if;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, p_want, p_reason, jsonb_strip_nulls(jsonb_build_object(
    'message_ids', to_jsonb(p_message_ids), 'topic', p_topic, 'aggregate_type', p_aggregate_type,
    'aggregate_id', p_aggregate_id, 'parked_before', p_parked_before)))
  returning audit_id into request;
  perform 1 from millrace.blocked_key b
  where (b.shard, b.aggregate_type, b.aggregate_id, b.topic) in (
    select p.shard, p.aggregate_type, p.aggregate_id, p.topic from millrace.parked p
    where (p_message_ids is null or p.message_id = any(p_message_ids)) and (p_topic is null or p.topic = p_topic)
      and (p_aggregate_type is null or p.aggregate_type = p_aggregate_type)
      and (p_aggregate_id is null or p.aggregate_id = p_aggregate_id)
      and (p_parked_before is null or p.parked_at < p_parked_before))
  order by b.shard, b.aggregate_type, b.aggregate_id, b.topic
  for update;
  update millrace.parked p set wanted = p_want, audit_id = request
  where (p_message_ids is null or p.message_id = any(p_message_ids)) and (p_topic is null or p.topic = p_topic)
    and (p_aggregate_type is null or p.aggregate_type = p_aggregate_type)
    and (p_aggregate_id is null or p.aggregate_id = p_aggregate_id)
    and (p_parked_before is null or p.parked_at < p_parked_before);
  get diagnostics concerned = row_count;
  for concerns in
    select p.shard,
           jsonb_agg(distinct jsonb_build_object('t', p.aggregate_type, 'a', p.aggregate_id, 'o', p.topic)) as keys
    from millrace.parked p where p.audit_id = request group by p.shard
  loop
    perform millrace.release_keys(concerns.shard, concerns.keys);
  end loop;
  update millrace.audit set detail = detail || jsonb_build_object('messages', concerned) where audit_id = request;
  return concerned;
end
$$;

-- Purpose: parked messages as a person reads them. Not updatable, for it begins with a WITH.
create or replace view millrace.parked_message as
with parked as (select p.* from millrace.parked p)
select p.message_id, p.id, p.shard, p.aggregate_type, p.aggregate_id, p.revision, p.topic, p.message_key, p.event_type,
       p.schema_version, p.content_type, p.headers, encode(p.payload, 'escape') as payload_text, p.resolver, p.created_at,
       p.kind, p.state, p.reason, p.attempts, p.overtaken, p.wanted, p.parked_at
from parked p;

revoke execute on function millrace.redrive, millrace.discard, millrace.want_parked from public;
grant execute on function millrace.redrive, millrace.discard to millrace_operator;
grant select on millrace.parked_message to millrace_reader, millrace_operator;
