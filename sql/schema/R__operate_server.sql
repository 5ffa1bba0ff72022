-- Purpose: is this the server that the installation knows, and may what is stored be read on it?
-- Every stored transaction id and snapshot comes from a server's counter. After a logical restore it comes from another
-- world: rows that nobody has published look seen, or never become visible.

-- What is stored here and cannot come from this server, or has been restored to less than there is: one line a kind, for
-- people; no row: nothing. Cheap enough for every start: of the outbox only the newest rows are looked at, because ids and
-- transaction ids grow together.
-- A row that a snapshot sees has an id below the snapshot's xmax, and so has every snapshot stored in such a row.
-- Locks: ACCESS SHARE.
create or replace function millrace.foreign_traces() returns setof text
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
with here as materialized (
  select pg_snapshot_xmax(pg_current_snapshot()) as next_xid,
         coalesce(pg_sequence_last_value('millrace.outbox_id'::regclass), 0) as last_id
),
cursors as materialized (
  select l.shard, l.lane, c.head,
         greatest(pg_snapshot_xmax(c.seen), pg_snapshot_xmax(c.sweep_target)) as seen_up_to
  from (select s.shard, '' as lane from millrace.shard s union all select n.shard, n.topic from millrace.lane n) l
  cross join lateral (
    select r.head, r.seen, r.sweep_target from millrace.receipt r
    where r.shard = l.shard and r.lane = l.lane
    order by r.epoch desc, r.counter desc limit 1) c
),
newest as materialized (
  select o.shard, o.id, o.xid
  from millrace.shard s
  cross join lateral (
    select m.shard, m.id, m.xid from millrace.outbox m where m.shard = s.shard order by m.id desc limit 20) o
)
(select format('the cursor of shard %s%s has seen transactions below %s, this server is at %s', c.shard,
               case when c.lane = '' then '' else ', lane ' || c.lane end, c.seen_up_to, h.next_xid)
 from cursors c, here h where c.seen_up_to > h.next_xid order by c.seen_up_to desc limit 1)
union all
(select format('a receipt was written in transaction %s, this server is at %s', r.xid, h.next_xid)
 from here h, lateral (select n.xid from millrace.receipt n order by n.xid desc limit 1) r where r.xid >= h.next_xid)
union all
(select format('slot %s was closed at transaction %s, this server is at %s', s.slot, s.closed_xid, h.next_xid)
 from millrace.slot s, here h where s.closed_xid >= h.next_xid order by s.closed_xid desc limit 1)
union all
(select format('message %s of shard %s was appended in transaction %s, this server is at %s', n.id, n.shard, n.xid,
               h.next_xid)
 from newest n, here h where n.xid >= h.next_xid order by n.xid desc limit 1)
union all
(select format('the sequence of message ids stands at %s, below id %s, which was given out before', h.last_id, g.id)
 from here h, lateral (select greatest((select max(n.id) from newest n), (select max(c.head) from cursors c)) as id) g
 where g.id > h.last_id)
$$;

-- The system identifier that the installation knows, and the one of this server.
create or replace function millrace.server_identifiers(out known bigint, out actual bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select s.system_identifier, c.system_identifier from millrace.server s, pg_control_system() c $$;

-- An operator says that this server is the known one in another body: pg_upgrade, or a copy that has taken the counter
-- over. Looks at every message first.
-- Rows returned: whether anything had to be confirmed.
-- Tables written: server, audit. Errors: 55000 naming what speaks against it, 22023 without an actor.
create or replace function millrace.confirm_server(p_actor text, p_reason text default null) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  identifiers record;
  trace text;
begin
  if coalesce(trim(p_actor), '') = '' then
    raise exception 'confirming a server needs the name of who does it, found none' using errcode = 'invalid_parameter_value';
  end if;
  select i.known, i.actual into identifiers from millrace.server_identifiers() i;
  select t into trace from millrace.foreign_traces() t limit 1;
  if trace is null then
    select format('message %s was appended in transaction %s', o.id, o.xid) into trace
    from millrace.outbox o where o.xid >= pg_snapshot_xmax(pg_current_snapshot()) limit 1;
  end if;
  if trace is not null then
    raise exception using errcode = 'object_not_in_prerequisite_state',
      message = 'this server has not taken over the counter of the one before, so it cannot be confirmed: ' || trace,
      hint = 'The database was restored from elsewhere: run millrace rebase.';
  end if;
  if identifiers.known = identifiers.actual then
    return false;
  end if;
  update millrace.server set system_identifier = identifiers.actual, known_since = clock_timestamp();
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'confirm_server', p_reason,
          jsonb_build_object('known', identifiers.known::text, 'actual', identifiers.actual::text));
  return true;
end
$$;

revoke execute on function millrace.foreign_traces, millrace.server_identifiers, millrace.confirm_server from public;
grant execute on function millrace.foreign_traces, millrace.server_identifiers
  to millrace_relay, millrace_maintenance, millrace_inbox, millrace_reader, millrace_operator;
grant execute on function millrace.confirm_server to millrace_operator;
