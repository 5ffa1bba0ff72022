-- Purpose: what an operator looks at through the admin API: parked messages by page, and where a message is. However large
--   the tables are, and whatever their statistics say, each call looks at a bounded number of rows, by an index.

-- A page of the parked messages with a position above p_after, by position. Filters that are null do not restrict.
-- At most 10,000 messages are looked at: where fewer than p_limit of them pass the filters, the page is short although
-- there are more.
-- Rows returned: one a message; next_after is the same in each: where the next page begins, null after the last. One row
--   without an id when no message of the page passes the filters.
-- Tables written: none. Locks: ACCESS SHARE.
create or replace function millrace.parked_page(
  p_after bigint, p_limit integer, p_topic text default null, p_aggregate_type text default null,
  p_aggregate_id text default null, p_state text default null)
returns table (next_after bigint, id bigint, message_id uuid, shard smallint, aggregate_type text, aggregate_id text,
  revision bigint, topic text, event_type text, state text, kind text, reason text, attempts integer, wanted text,
  overtaken integer, payload_bytes integer, created_at timestamptz, parked_at timestamptz)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  as $$
begin
  return query
  with looked_at as materialized (
    select p.id, p.message_id, p.shard, p.aggregate_type, p.aggregate_id, p.revision, p.topic, p.event_type, p.state,
           p.kind, p.reason, p.attempts, p.wanted, cardinality(p.overtaken) as overtaken,
           octet_length(p.payload) as payload_bytes, p.created_at, p.parked_at
    from millrace.parked p where p.id > p_after order by p.id limit 10000
  ), page as materialized (
    select l.* from looked_at l
    where (p_topic is null or l.topic = p_topic) and (p_aggregate_type is null or l.aggregate_type = p_aggregate_type)
      and (p_aggregate_id is null or l.aggregate_id = p_aggregate_id) and (p_state is null or l.state = p_state)
    order by l.id limit p_limit
  ), bounds as (
    select case when (select count(*) from page) = p_limit then (select max(g.id) from page g)
                when (select count(*) from looked_at) = 10000 then (select max(l.id) from looked_at l) end as next_after
  )
  select b.next_after, g.id, g.message_id, g.shard, g.aggregate_type, g.aggregate_id, g.revision, g.topic, g.event_type,
         g.state, g.kind, g.reason, g.attempts, g.wanted, g.overtaken, g.payload_bytes, g.created_at, g.parked_at
  from bounds b left join page g on true
  order by g.id;
end
$$;

-- The first position at or after which everything of this slot and shard was appended at p_at or later: ids are drawn and
-- the clock is read within one row, so they rise together but for moments. By halving: about 30 looks.
-- Rows returned: one; null: nothing is there. Not callable by itself. Locks: ACCESS SHARE.
create or replace function millrace.first_id_since(p_slot smallint, p_shard smallint, p_at timestamptz) returns bigint
  language plpgsql stable set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  low bigint := (select o.id from millrace.outbox o where o.slot = p_slot and o.shard = p_shard order by o.id limit 1);
  high bigint := (select o.id from millrace.outbox o where o.slot = p_slot and o.shard = p_shard order by o.id desc limit 1);
  middle bigint;
  found_id bigint;
  found_at timestamptz;
begin
  high := high + 1;
  while low < high loop
    middle := low + (high - low) / 2;
    select o.id, o.created_at into found_id, found_at from millrace.outbox o
    where o.slot = p_slot and o.shard = p_shard and o.id >= middle order by o.id limit 1;
    if found_at < p_at then
      low := found_id + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end
$$;

-- Where a message is. Its id tells when it was minted; a message is looked for among those that were appended at most
-- p_within_ms before or after, p_rows_max of them at most. A parked one is found whenever it was minted.
-- Rows returned: one. state: waiting, published, parked, discarded, or null: not found. receipt_...: the receipt that passed
--   it, looked for among the newest 100,000 of its lane. rows_looked_at; is_complete: everything in that time was looked at.
-- Tables written: none. Locks: ACCESS SHARE.
create or replace function millrace.find_message(p_message_id uuid, p_within_ms bigint, p_rows_max integer)
returns table (state text, id bigint, shard smallint, slot smallint, topic text, aggregate_type text, aggregate_id text,
  created_at timestamptz, receipt_lane text, receipt_epoch bigint, receipt_counter bigint, published_at timestamptz,
  rows_looked_at bigint, is_complete boolean)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  minted timestamptz := to_timestamp(millrace.uuid_v7_ms(p_message_id) / 1000.0);
  around interval := p_within_ms * interval '1 ms';
  place record;
  looked record;
  message record;
  cursor record;
  held record;
  passed record;
  looked_at bigint := 0;
  passes boolean := false;
  found_id bigint;
begin
  select p.id, p.shard, p.topic, p.aggregate_type, p.aggregate_id, p.created_at, p.parked_at into held
  from millrace.parked p where p.message_id = p_message_id order by p.id limit 1;
  if held.id is not null then
    return query select 'parked'::text, held.id, held.shard, null::smallint, held.topic, held.aggregate_type,
      held.aggregate_id, held.created_at, null::text, null::bigint, null::bigint, null::timestamptz, 0::bigint, true;
    return;
  end if;
  for place in
    select s.slot, h.shard from millrace.slot s cross join millrace.shard h
    where s.state not in ('free', 'attaching', 'detached') or s.slot = millrace.ring_current()
    order by s.slot, h.shard
  loop
    exit when looked_at >= p_rows_max;
    select count(*) as messages, min(c.id) filter (where c.message_id = p_message_id) as found_id into looked
    from (select o.id, o.message_id from millrace.outbox o
          where o.slot = place.slot and o.shard = place.shard
            and o.id >= millrace.first_id_since(place.slot, place.shard, minted - around)
            and o.id < millrace.first_id_since(place.slot, place.shard, minted + around)
          order by o.id limit p_rows_max - looked_at) c;
    looked_at := looked_at + looked.messages;
    found_id := looked.found_id;
    if found_id is not null then
      select o.id, o.xid, o.shard, o.slot, o.topic, o.aggregate_type, o.aggregate_id, o.created_at into message
      from millrace.outbox o where o.slot = place.slot and o.shard = place.shard and o.id = found_id;
      exit;
    end if;
  end loop;
  if found_id is null then
    return query select null::text, null::bigint, null::smallint, null::smallint, null::text, null::text, null::text,
      null::timestamptz, null::text, null::bigint, null::bigint, null::timestamptz, looked_at, looked_at < p_rows_max;
    return;
  end if;

  select r.head, r.seen, r.lane into cursor from millrace.receipt r
  where r.shard = message.shard and r.lane = coalesce((
    select l.topic from millrace.lane l where l.shard = message.shard and l.topic = message.topic), '')
  order by r.epoch desc, r.counter desc limit 1;
  passes := message.id <= cursor.head and pg_visible_in_snapshot(message.xid, cursor.seen);
  select r.lane, r.epoch, r.counter, r.published_at into passed
  from (select b.lane, b.epoch, b.counter, b.published_at, b.first_id, b.last_id from millrace.receipt b
        where passes and b.shard = message.shard and b.lane = cursor.lane
        order by b.epoch desc, b.counter desc limit 100000) r
  where r.first_id <= message.id and r.last_id >= message.id
  order by r.epoch, r.counter limit 1;
  return query select
    case when passes and exists (
           select from millrace.audit a where a.act = 'discarded' and (a.detail ->> 'id')::bigint = message.id)
         then 'discarded' when passes then 'published' else 'waiting' end,
    message.id, message.shard, message.slot, message.topic, message.aggregate_type, message.aggregate_id,
    message.created_at, passed.lane, passed.epoch, passed.counter, passed.published_at, looked_at, true;
end
$$;

revoke execute on function millrace.parked_page, millrace.first_id_since, millrace.find_message from public;
grant execute on function millrace.parked_page, millrace.find_message
  to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
