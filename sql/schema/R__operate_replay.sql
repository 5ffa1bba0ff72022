-- Purpose: an operator has retained messages published once more, and stops that. The request is recorded here; the shards'
--   owners carry it out beside their live messages, each in id order.

-- Which messages: appended from p_from_at on and before p_to_at, of this topic, of this aggregate or of all of this type.
-- Filters that are null do not restrict; at least one must be given. Only what was published by now is published again:
-- nothing parked or discarded, nothing that a lane still holds.
-- p_target_topic: where to; null: each message's own topic. p_rate: messages a second, over all shards together.
-- Rows returned: the replay's id. A notice tells when less is kept than was asked for.
-- Tables written: replay, replay_shard, audit.
-- Locks: the one against the emptying of slots; no slot is emptied until the request is committed. ACCESS SHARE on the
--   outbox.
-- Errors: 22023 names what is missing or makes no sense, or that Debezium publishes, P0002 when nothing of it is kept, 53400 with too many replays.
create or replace function millrace.start_replay(
  p_actor text, p_reason text, p_from_at timestamptz default null, p_to_at timestamptz default null,
  p_topic text default null, p_aggregate_type text default null, p_aggregate_id text default null,
  p_target_topic text default null, p_rate integer default 500)
returns bigint
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  request bigint;
  oldest timestamptz;
  publisher text;
begin
  perform millrace.check_replay(p_actor, p_reason, p_from_at, p_to_at, p_topic, p_aggregate_type, p_aggregate_id,
    p_target_topic, p_rate);
  perform pg_advisory_xact_lock(millrace.lock_class(), millrace.replay_lock());
  -- Held against a change of the publisher until the request is committed.
  select p.publisher into publisher from millrace.publishing p for share;
  if publisher = 'debezium' then
    raise exception 'a replay needs Millrace''s relay, and Debezium publishes' using errcode = 'invalid_parameter_value';
  end if;
  if (select count(*) from millrace.replay r where r.state = 'running') >= 10 then
    raise exception '10 replays are running already: wait for one to end, or cancel it'
      using errcode = 'configuration_limit_exceeded';
  end if;
  -- By the first message of each shard and slot.
  select min(first.created_at) into oldest
  from millrace.slot s cross join millrace.shard h
  cross join lateral (
    select o.created_at from millrace.outbox o where o.slot = s.slot and o.shard = h.shard order by o.id limit 1) first;
  if p_to_at <= oldest then
    raise exception 'nothing from before % is kept: the oldest message is of %', p_to_at, oldest
      using errcode = 'no_data_found';
  end if;

  insert into millrace.replay (actor, reason, from_at, to_at, topic, aggregate_type, aggregate_id, target_topic, rate)
  values (p_actor, p_reason, p_from_at, p_to_at, p_topic, p_aggregate_type, p_aggregate_id, p_target_topic, p_rate)
  returning replay_id into request;
  insert into millrace.replay_shard (replay_id, shard, head, seen, lanes, start_id, position, end_id)
  select request, s.shard, main.head, main.seen, lanes.cursors, first.id - 1, first.id - 1, last.id
  from millrace.shard s
  cross join lateral (
    select r.head, r.seen from millrace.receipt r where r.shard = s.shard and r.lane = ''
    order by r.epoch desc, r.counter desc limit 1) main
  cross join lateral (
    -- A lane without a receipt has published nothing.
    select coalesce(jsonb_object_agg(l.topic, jsonb_build_object(
             'head', coalesce(c.head, 0), 'seen', coalesce(c.seen::text, '1:1:'))), '{}') as cursors,
           max(c.head) as head
    from millrace.lane l
    left join lateral (
      select r.head, r.seen from millrace.receipt r where r.shard = l.shard and r.lane = l.topic
      order by r.epoch desc, r.counter desc limit 1) c on true
    where l.shard = s.shard) lanes
  cross join lateral (
    select o.id from millrace.outbox o where o.shard = s.shard order by o.id limit 1) first
  cross join lateral (
    select o.id from millrace.outbox o where o.shard = s.shard and o.id <= greatest(main.head, lanes.head)
    order by o.id desc limit 1) last
  where p_aggregate_id is null or s.shard = millrace.shard_of(p_aggregate_type, p_aggregate_id);
  if not found then
    raise exception 'nothing that has been published is kept%',
        case when p_aggregate_id is not null then ' of the shard of this aggregate' else '' end
      using errcode = 'no_data_found', detail = format('The oldest message that is kept is of %s.', coalesce(oldest::text, '-'));
  end if;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'start_replay', p_reason, jsonb_strip_nulls(jsonb_build_object(
    'replay_id', request, 'from_at', p_from_at, 'to_at', p_to_at, 'topic', p_topic, 'aggregate_type', p_aggregate_type,
    'aggregate_id', p_aggregate_id, 'target_topic', p_target_topic, 'rate', p_rate)));
  if p_from_at < oldest then
    raise notice 'the oldest message that is kept is of %: replay % begins there', oldest, request;
  end if;
  return request;
end
$$;

-- What makes no sense is refused, by name. Not callable by itself. Errors: 22023.
create or replace function millrace.check_replay(
  p_actor text, p_reason text, p_from_at timestamptz, p_to_at timestamptz, p_topic text, p_aggregate_type text,
  p_aggregate_id text, p_target_topic text, p_rate integer)
returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  problem text := case
    when coalesce(trim(p_actor), '') = '' then 'a replay needs the name of who asks for it, found none'
    when coalesce(trim(p_reason), '') = '' then 'a replay needs a reason, found none'
    when p_from_at is null and p_to_at is null and p_topic is null and p_aggregate_type is null and p_aggregate_id is null
      then 'a replay needs a time, a topic or an aggregate, found none of them'
    when p_from_at >= p_to_at then format('from must be before to, found %s and %s', p_from_at, p_to_at)
    when p_from_at > clock_timestamp() then format('from must not lie ahead, found %s', p_from_at)
    when p_aggregate_id is not null and p_aggregate_type is null then 'an aggregate id needs its aggregate type, found none'
    when length(p_aggregate_type) not between 1 and 200 then 'aggregate type must have 1 to 200 characters'
    when length(p_aggregate_id) not between 1 and 400 then 'aggregate id must have 1 to 400 characters'
    when not millrace.is_topic_name(p_topic) then format('topic must be 1 to 249 of A-Z a-z 0-9 . _ -, found ''%s''', p_topic)
    when not millrace.is_topic_name(p_target_topic)
      then format('target topic must be 1 to 249 of A-Z a-z 0-9 . _ -, found ''%s''', p_target_topic)
    when p_rate is null or p_rate not between 1 and 100000
      then format('rate must be 1 to 100000 messages a second, found %s', coalesce(p_rate::text, 'null'))
    end;
begin
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = problem;
  end if;
end
$$;

-- As the outbox wants it.
create or replace function millrace.is_topic_name(p_topic text) returns boolean
  language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
  as $$ select length(p_topic) between 1 and 249 and p_topic ~ '^[a-zA-Z0-9._-]+$' and p_topic not in ('.', '..') $$;

-- Stops a replay: each shard within the batch that is on its way.
-- Rows returned: whether it was running; false: it had ended before.
-- Tables written: replay, audit. Locks: the replay's row. Errors: 22023 without an actor, or for a replay that there is not.
create or replace function millrace.cancel_replay(p_replay bigint, p_actor text, p_reason text default null)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if coalesce(trim(p_actor), '') = '' then
    raise exception 'cancelling a replay needs the name of who does it, found none'
      using errcode = 'invalid_parameter_value';
  end if;
  perform 1 from millrace.replay r where r.replay_id = p_replay;
  if not found then
    raise exception 'there is no replay %', coalesce(p_replay::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
  update millrace.replay r
  set state = 'cancelled', finished_at = clock_timestamp(),
      end_reason = format('cancelled by %s%s', p_actor, ': ' || p_reason)
  where r.replay_id = p_replay and r.state = 'running';
  if not found then
    return false;
  end if;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'cancel_replay', p_reason, jsonb_build_object('replay_id', p_replay));
  return true;
end
$$;

-- Replays as a person reads them. Not updatable, for it begins with a WITH.
-- progress: the share of ids that are done, 0 to 1. messages_left: estimated from the share of messages among those ids;
--   null: nothing to go by yet. laggards: of a running one the ten shards with most ids left, {shard, ids_left,
--   checked_at, why}; why is null for one that moves.
create or replace view millrace.replay_status as
with sums as (
  select s.replay_id, count(*) as shards, count(*) filter (where s.done) as shards_done, sum(s.sent)::bigint as sent,
         sum(s.skipped)::bigint as skipped, max(s.skip_reason) as skip_reason,
         sum(s.end_id - s.start_id) as ids, sum(greatest(s.end_id - s.position, 0)) as ids_left
  from millrace.replay_shard s group by s.replay_id
)
select r.replay_id, r.state, r.end_reason, r.actor, r.reason, r.from_at, r.to_at, r.topic, r.aggregate_type,
       r.aggregate_id, r.target_topic, r.rate, r.created_at, r.finished_at,
       u.shards, u.shards_done, u.sent, u.skipped, u.skip_reason,
       case when u.ids = 0 then 1 else round(1 - u.ids_left / u.ids, 4) end as progress,
       case when u.ids_left = 0 then 0
            when u.ids > u.ids_left then round((u.sent + u.skipped) * u.ids_left / (u.ids - u.ids_left)) end
         as messages_left,
       coalesce(late.laggards, '[]') as laggards
from millrace.replay r
join sums u on u.replay_id = r.replay_id
left join lateral (
  select jsonb_agg(jsonb_build_object('shard', w.shard, 'ids_left', w.ids_left, 'checked_at', w.checked_at, 'why', w.why)
           order by w.ids_left desc, w.shard) as laggards
  from (
    select s.shard, s.end_id - s.position as ids_left, s.checked_at,
           case when h.paused then 'the shard is paused'
                when h.owner is null then 'nobody reads the shard'
                when earlier.replay_id is not null then format('replay %s goes first', earlier.replay_id)
                else s.waits end as why
    from millrace.replay_shard s
    join millrace.shard h on h.shard = s.shard
    left join lateral (
      select min(o.replay_id) as replay_id from millrace.replay_shard o
      join millrace.replay e on e.replay_id = o.replay_id and e.state = 'running'
      where o.shard = s.shard and not o.done and o.replay_id < s.replay_id) earlier on true
    where s.replay_id = r.replay_id and not s.done and r.state = 'running'
    order by ids_left desc, s.shard limit 10) w) late on true;

revoke execute on function millrace.start_replay, millrace.check_replay, millrace.is_topic_name, millrace.cancel_replay
  from public;
grant execute on function millrace.start_replay, millrace.cancel_replay to millrace_operator;
grant select on millrace.replay_status to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
