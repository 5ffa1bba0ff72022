-- Purpose: the exact test. Is every message of a slot published or parked, by the receipts?
-- Rows returned: null when it is, else the reason for people, naming one shard.
-- A lane without a receipt means no. While a sweep is under way, seen is the old snapshot, so its late rows count as
-- unpublished until it is done.
-- Locks: none of its own; a caller that goes on to truncate holds SHARE on the slot, taken in an earlier statement.
create or replace function millrace.slot_unpublished(p_slot integer) returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  cursors jsonb;
  unpublished record;
begin
  select jsonb_agg(jsonb_build_object('shard', s.shard, 'head', c.head, 'seen', c.seen::text)) into cursors
  from millrace.shard s
  left join lateral (
    select r.head, r.seen from millrace.receipt r
    where r.shard = s.shard and r.lane = ''
    order by r.epoch desc, r.counter desc limit 1) c on true;
  execute format($q$
      select c.shard, c.head, o.id
      from jsonb_to_recordset($1) as c(shard smallint, head bigint, seen pg_snapshot)
      left join lateral (
        select o.id from millrace.outbox_slot_%s o where o.shard = c.shard order by o.id desc limit 1) o on true
      where c.head is null or o.id > c.head
      order by c.shard limit 1 $q$, p_slot)
    into unpublished using cursors;
  if unpublished.head is null and unpublished.shard is not null then
    return format('shard %s has no receipt', unpublished.shard);
  elsif unpublished.shard is not null then
    return format('shard %s is published up to id %s, the slot reaches id %s',
                  unpublished.shard, unpublished.head, unpublished.id);
  end if;
  execute format($q$
      select o.shard, o.id
      from millrace.outbox_slot_%s o
      join jsonb_to_recordset($1) as c(shard smallint, seen pg_snapshot) on c.shard = o.shard
      where not pg_visible_in_snapshot(o.xid, c.seen) limit 1 $q$, p_slot)
    into unpublished using cursors;
  if unpublished.shard is not null then
    return format('shard %s has not yet seen id %s, which was committed late', unpublished.shard, unpublished.id);
  end if;
  return null;
end
$$;
revoke execute on function millrace.slot_unpublished from public;
grant execute on function millrace.slot_unpublished to millrace_maintenance, millrace_reader;
