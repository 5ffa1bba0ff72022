-- Purpose: hold messages back, and let them go again.
--
-- A key (aggregate and topic) is blocked from the receipt that parks its first message to the transaction that finds
-- nothing of it parked any more. Both lock the key's row first: whichever comes second sees what the first one did.

-- Copies messages out of the ring, so that they never hold a slot, and blocks their keys.
-- p_parked: an array of {id, kind, state, reason, attempts, overtaken}.
-- Not callable by itself: part of a receipt's transaction.
-- A message that is not in the ring fails the receipt: the left join makes its message_id null.
-- Tables written: parked, blocked_key.
create or replace function millrace.park_messages(p_shard integer, p_parked jsonb) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
begin
  -- A key that was let go since its message was read is blocked again, and due at once. What its lane would bring back
  -- is due after a while if the shard has too many lanes to open one.
  insert into millrace.blocked_key (shard, aggregate_type, aggregate_id, topic, due_at)
  select distinct on (o.aggregate_type, o.aggregate_id, o.topic)
         p_shard, o.aggregate_type, o.aggregate_id, o.topic,
         case when w.kind = 'behind' then clock_timestamp()
              when w.kind = 'lane' and not exists (
                select from millrace.lane l where l.shard = p_shard and l.topic = o.topic)
              then clock_timestamp() + interval '30 s' end
  from jsonb_to_recordset(p_parked) as w(id bigint, kind text)
  cross join lateral (
    select o.aggregate_type, o.aggregate_id, o.topic from millrace.outbox o
    where o.shard = p_shard and o.id = w.id limit 1) o
  order by o.aggregate_type, o.aggregate_id, o.topic, w.id
  on conflict (shard, aggregate_type, aggregate_id, topic) do update set due_at = blocked_key.due_at;

  insert into millrace.parked (message_id, id, shard, aggregate_type, aggregate_id, revision, topic, message_key,
    event_type, schema_version, content_type, headers, payload, resolver, created_at, state, reason, attempts, kind,
    overtaken)
  select o.message_id, w.id, p_shard, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key,
    o.event_type, o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at, w.state,
    left(w.reason, 2000), w.attempts, w.kind, coalesce(w.overtaken, '{}')
  from jsonb_to_recordset(p_parked)
    as w(id bigint, kind text, state text, reason text, attempts integer, overtaken uuid[])
  left join lateral (
    select * from millrace.outbox o where o.shard = p_shard and o.id = w.id limit 1) o on true
  on conflict (id) do nothing;
end
$$;

-- What became of parked messages that their shard's owner tried again, or was told to discard.
-- p_published: positions that the broker has acknowledged. p_refused: an array of {id, reason}: dead from now on.
-- p_waiting: positions that could not be tried: their keys are due again after p_delay_ms.
-- Rows returned: 'recorded', 'fenced', 'other life'.
-- Tables written: parked, blocked_key, audit. Commits synchronously.
-- Locks: the shard's advisory lock, shared, before the check; then the keys' rows, in order.
create or replace function millrace.record_redrive(
  p_shard integer, p_token uuid, p_epoch bigint, p_incarnation text,
  p_published bigint[], p_refused jsonb, p_waiting bigint[], p_delay_ms bigint)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  touched bigint[] := p_published || p_waiting || array(select r.id from jsonb_to_recordset(p_refused) as r(id bigint));
begin
  perform pg_advisory_xact_lock_shared(millrace.lock_class(), p_shard);
  perform 1 from millrace.shard s where s.shard = p_shard and s.token = p_token and s.epoch = p_epoch;
  if not found then
    return 'fenced';
  end if;
  if p_incarnation is distinct from millrace.incarnation() then
    return 'other life';
  end if;
  perform 1 from millrace.blocked_key b
  where b.shard = p_shard and (b.aggregate_type, b.aggregate_id, b.topic) in (
    select p.aggregate_type, p.aggregate_id, p.topic from millrace.parked p where p.id = any(touched))
  order by b.aggregate_type, b.aggregate_id, b.topic
  for update;
  perform millrace.settle_keys(p_shard, p_published, p_refused, p_waiting, p_delay_ms);
  return 'recorded';
end
$$;

-- The second half of millrace.record_redrive: later statements than the locks. Not callable by itself.
create or replace function millrace.settle_keys(
  p_shard integer, p_published bigint[], p_refused jsonb, p_waiting bigint[], p_delay_ms bigint)
returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  keys jsonb;
  delayed jsonb;
begin
  select jsonb_agg(distinct jsonb_build_object('t', p.aggregate_type, 'a', p.aggregate_id, 'o', p.topic)) into keys
  from millrace.parked p
  where p.id = any(p_published) or p.id in (select r.id from jsonb_to_recordset(p_refused) as r(id bigint));
  select jsonb_agg(distinct jsonb_build_object('t', p.aggregate_type, 'a', p.aggregate_id, 'o', p.topic)) into delayed
  from millrace.parked p where p.id = any(p_waiting);

  with gone as (
    delete from millrace.parked p where p.id = any(p_published)
    returning p.message_id, p.audit_id, p.topic, p.aggregate_type, p.aggregate_id, p.id
  )
  insert into millrace.audit (actor, act, detail)
  select 'millrace', 'redriven', jsonb_build_object('message_id', g.message_id, 'topic', g.topic,
         'aggregate_type', g.aggregate_type, 'aggregate_id', g.aggregate_id, 'id', g.id, 'request', g.audit_id)
  from gone g where g.audit_id is not null;

  update millrace.parked p
  set state = 'dead', kind = 'message', reason = left(r.reason, 2000), attempts = p.attempts + 1, wanted = null,
      audit_id = null
  from jsonb_to_recordset(p_refused) as r(id bigint, reason text)
  where p.id = r.id;

  perform millrace.release_keys(p_shard, keys);
  update millrace.blocked_key b set due_at = clock_timestamp() + p_delay_ms * interval '1 ms'
  from jsonb_to_recordset(delayed) as k(t text, a text, o text)
  where b.shard = p_shard and b.aggregate_type = k.t and b.aggregate_id = k.a and b.topic = k.o;
end
$$;

-- Lifts the block of keys of which nothing is parked any more; the others are due at once if their first parked message
-- may go out. The caller holds the keys' rows. Not callable by itself.
create or replace function millrace.release_keys(p_shard integer, p_keys jsonb) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
begin
  with first as (
    select k.t, k.a, k.o, p.message_id is not null as is_parked, p.state = 'retrying' or p.wanted is not null as is_due
    from jsonb_to_recordset(p_keys) as k(t text, a text, o text)
    left join lateral (
      select p.message_id, p.state, p.wanted from millrace.parked p
      where p.shard = p_shard and p.aggregate_type = k.t and p.aggregate_id = k.a and p.topic = k.o
      order by p.id limit 1) p on true
  ), lifted as (
    delete from millrace.blocked_key b using first f
    where b.shard = p_shard and b.aggregate_type = f.t and b.aggregate_id = f.a and b.topic = f.o and not f.is_parked
  )
  update millrace.blocked_key b set due_at = case when f.is_due then clock_timestamp() end
  from first f
  where b.shard = p_shard and b.aggregate_type = f.t and b.aggregate_id = f.a and b.topic = f.o and f.is_parked;
end
$$;

-- Removes parked messages that an operator wants discarded, each with a row of the audit, at most p_rows_max.
-- Rows returned: how many; null when the caller is fenced.
-- Tables written: parked, blocked_key, audit. Locks: as millrace.record_redrive.
create or replace function millrace.discard_wanted(
  p_shard integer, p_token uuid, p_epoch bigint, p_rows_max integer)
returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  doomed bigint[];
  keys jsonb;
begin
  perform pg_advisory_xact_lock_shared(millrace.lock_class(), p_shard);
  perform 1 from millrace.shard s where s.shard = p_shard and s.token = p_token and s.epoch = p_epoch;
  if not found then
    return null;
  end if;
  doomed := array(select p.id from millrace.parked p
                  where p.shard = p_shard and p.wanted = 'discard' order by p.id limit p_rows_max);
  if cardinality(doomed) = 0 then
    return 0;
  end if;
  perform 1 from millrace.blocked_key b
  where b.shard = p_shard and (b.aggregate_type, b.aggregate_id, b.topic) in (
    select p.aggregate_type, p.aggregate_id, p.topic from millrace.parked p where p.id = any(doomed))
  order by b.aggregate_type, b.aggregate_id, b.topic
  for update;
  select jsonb_agg(distinct jsonb_build_object('t', p.aggregate_type, 'a', p.aggregate_id, 'o', p.topic)) into keys
  from millrace.parked p where p.id = any(doomed);
  with gone as (
    delete from millrace.parked p where p.id = any(doomed) and p.wanted = 'discard'
    returning p.message_id, p.audit_id, p.topic, p.aggregate_type, p.aggregate_id, p.id, p.revision, p.reason
  )
  insert into millrace.audit (actor, act, reason, detail)
  select 'millrace', 'discarded', g.reason, jsonb_build_object('message_id', g.message_id, 'topic', g.topic,
         'aggregate_type', g.aggregate_type, 'aggregate_id', g.aggregate_id, 'id', g.id, 'revision', g.revision,
         'request', g.audit_id)
  from gone g;
  perform millrace.release_keys(p_shard, keys);
  return cardinality(doomed);
end
$$;

revoke execute on function millrace.park_messages, millrace.record_redrive, millrace.settle_keys, millrace.release_keys,
  millrace.discard_wanted from public;
grant execute on function millrace.record_redrive, millrace.discard_wanted to millrace_relay;
