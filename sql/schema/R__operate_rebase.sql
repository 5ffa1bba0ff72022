-- Purpose: make a restored database one that can be relayed from. What has not been published is appended anew, in id
--   order, so every aggregate's order stays; message ids and times stay too, transaction ids and ids are new. All cursors
--   begin again behind it. Parked messages stay as they are. What was published and still kept is dropped: its transaction
--   ids are from another world.
--
-- A message counts as published when the newest receipt of its lane covers it, judged by what was stored in the old world,
-- and when it is not younger than that receipt: a message appended since the restore may have an id and a transaction id
-- that the old cursor covers by accident. In doubt it is published again.
--
-- One transaction: whatever ends it early leaves everything as it was, except that sequences may stand higher.
-- p_nodes: nodes and counters as they were a lease ago, [{"node": uuid, "counter": n}]. A node that is not among them, or
--   whose counter has moved, is alive.
-- Rows returned: one: how many messages were appended anew, how many were dropped as published, how many lanes were closed,
--   how many dead nodes were removed, and the id behind which the cursors begin.
-- Tables written: outbox, slot, receipt, receipt_part_state, shard, lane, blocked_key, node, maintenance, server, incarnation_marker,
--   replay (those that run fail), publishing, audit.
-- Locks: SHARE ROW EXCLUSIVE on node (heartbeats wait), the maintenance row, every shard's advisory lock, then ACCESS
--   EXCLUSIVE on outbox and receipt: writers wait until it is done. Each is waited for at most p_lock_timeout_ms.
-- Errors: 55000 when a node is alive or nothing needs it, 55P03 when a lock is not to be had (an open or a prepared
--   transaction), 22023 without an actor.
create or replace function millrace.rebase(
  p_actor text, p_reason text, p_nodes jsonb, p_lock_timeout_ms integer)
returns table (appended bigint, dropped bigint, lanes bigint, nodes bigint, head bigint)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  identifiers record;
  alive text;
  current_slot smallint;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'millrace.rebase must run in READ COMMITTED, found %', current_setting('transaction_isolation');
  end if;
  if coalesce(trim(p_actor), '') = '' then
    raise exception 'a rebase needs the name of who does it, found none' using errcode = 'invalid_parameter_value';
  end if;
  perform set_config('lock_timeout', p_lock_timeout_ms || 'ms', true);
  select i.known, i.actual into identifiers from millrace.server_identifiers() i;
  if identifiers.known = identifiers.actual and not exists (select from millrace.foreign_traces()) then
    raise exception 'everything stored here is from this server: there is nothing to rebase'
      using errcode = 'object_not_in_prerequisite_state';
  end if;

  lock table millrace.node in share row exclusive mode;
  select n.name into alive from millrace.node n
  where not exists (
    select from jsonb_to_recordset(p_nodes) as o(node uuid, counter bigint)
    where o.node = n.node and o.counter = n.counter)
  limit 1;
  if found then
    raise exception 'node % is alive: stop every node first', alive
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  perform 1 from millrace.maintenance for update;
  perform pg_advisory_xact_lock(millrace.lock_class(), s.shard) from (
    select shard from millrace.shard order by shard) s;
  lock table millrace.outbox in access exclusive mode;
  lock table millrace.receipt in access exclusive mode;

  drop table if exists pg_temp.rebase_message;
  create temporary table rebase_message on commit drop as
    with cursors as materialized (
      select l.shard, l.lane, c.head, c.seen, c.published_at
      from (select s.shard, '' as lane from millrace.shard s union all select n.shard, n.topic from millrace.lane n) l
      cross join lateral (
        select r.head, r.seen, r.published_at from millrace.receipt r
        where r.shard = l.shard and r.lane = l.lane
        order by r.epoch desc, r.counter desc limit 1) c)
    select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
           o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
    from millrace.outbox o
    left join millrace.lane l on l.shard = o.shard and l.topic = o.topic
    left join cursors c on c.shard = o.shard and c.lane = coalesce(l.topic, '')
    where not coalesce(o.id <= c.head and pg_visible_in_snapshot(o.xid, c.seen) and o.created_at <= c.published_at, false);
  select count(*) into appended from pg_temp.rebase_message;
  select count(*) - appended into dropped from millrace.outbox;
  select coalesce(greatest(
    pg_sequence_last_value('millrace.outbox_id'::regclass),
    (select max(o.id) from millrace.outbox o),
    (select max(r.head) from millrace.receipt r),
    (select max(p.id) from millrace.parked p)), 0) into head;
  if head > 0 then
    perform setval('millrace.outbox_id', head);
  end if;

  update millrace.shard s
  set owner = null, token = null, epoch = 1 + greatest(s.epoch, (
    select max(r.epoch) from millrace.receipt r where r.shard = s.shard));
  update millrace.maintenance m set owner = null, token = null, epoch = m.epoch + 1;
  delete from millrace.node;
  get diagnostics nodes = row_count;
  select count(*) into lanes from millrace.lane;
  perform millrace.end_lane(l.shard, l.topic) from (select n.shard, n.topic from millrace.lane n) l;

  -- No replication slot comes with a dump: Millrace's relay publishes from now on.
  perform millrace.leave_debezium();
  perform millrace.fail_replays('the database was rebased: what was published before is not kept');
  truncate table millrace.outbox;
  current_slot := millrace.rebase_slots();
  perform millrace.rebase_receipts(head);
  -- Defaults are evaluated on top of the sort: ids are drawn in the old order.
  insert into millrace.outbox (message_id, aggregate_type, aggregate_id, revision, topic, message_key, event_type,
    schema_version, content_type, headers, payload, resolver, created_at)
  select m.message_id, m.aggregate_type, m.aggregate_id, m.revision, m.topic, m.message_key, m.event_type,
    m.schema_version, m.content_type, m.headers, m.payload, m.resolver, m.created_at
  from pg_temp.rebase_message m order by m.id;

  -- Whoever finds it empty makes a new one: every cursor in a node's memory is void.
  delete from millrace.incarnation_marker;
  update millrace.server set system_identifier = identifiers.actual, known_since = clock_timestamp();
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'rebase', p_reason, jsonb_build_object(
    'appended', appended, 'dropped', dropped, 'lanes', lanes, 'nodes', nodes, 'head', head, 'slot', current_slot,
    'known', identifiers.known::text, 'actual', identifiers.actual::text));
  return next;
end
$$;

-- All slots are empty: every one is free but the one that the sequence names. A sequence that was not restored names none.
-- A detached one is not part of the ring, and stays what it is until it is dropped.
-- Not callable by itself.
create or replace function millrace.rebase_slots() returns smallint
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  current_slot smallint;
begin
  select s.slot into current_slot from millrace.slot s
  where s.state <> 'detached'
  order by s.slot is not distinct from pg_sequence_last_value('millrace.ring_slot'::regclass)::smallint desc,
    s.state = 'hot' desc, s.slot
  limit 1;
  if current_slot is distinct from pg_sequence_last_value('millrace.ring_slot'::regclass) then
    perform setval('millrace.ring_slot', current_slot);
  end if;
  update millrace.slot
  set state = 'free', closed_xid = null, waits_for = '{}', closed_at = null, published_at = null,
      truncated_at = clock_timestamp(), postponed = null, confirm_seen = null, confirm_lsn = null
  where state <> 'detached';
  update millrace.slot set state = 'hot', opened_at = clock_timestamp() where slot = current_slot;
  return current_slot;
end
$$;

-- One receipt a shard, which has seen what this server has finished so far and has published all up to p_head.
-- Not callable by itself.
create or replace function millrace.rebase_receipts(p_head bigint) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  current_part smallint := coalesce(pg_sequence_last_value('millrace.receipt_part'::regclass), 0);
begin
  perform setval('millrace.receipt_part', current_part);
  truncate table millrace.receipt;
  update millrace.receipt_part_state
  set opened_at = case part when current_part then clock_timestamp() end, closed_at = null;
  insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)
  select s.shard, s.epoch, 0, pg_current_snapshot(), p_head, p_head, 0 from millrace.shard s;
end
$$;

revoke execute on function millrace.rebase, millrace.rebase_slots, millrace.rebase_receipts from public;
grant execute on function millrace.rebase to millrace_operator;
