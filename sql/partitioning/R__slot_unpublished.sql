-- Purpose: the exact test. Is every message of a slot published or parked, by the receipts? While Debezium publishes it is
-- for millrace.slot_unconfirmed to say.
-- A message is judged by the cursor of its topic's lane where the shard has one, else by the main lane's.
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
  perform 1 from millrace.publishing where publisher = 'debezium';
  if found then
    return millrace.slot_unconfirmed(p_slot);
  end if;
  with lanes as (
    select s.shard, '' as lane from millrace.shard s
    union all
    select l.shard, l.topic from millrace.lane l
  )
  select jsonb_agg(jsonb_build_object('shard', l.shard, 'lane', l.lane, 'head', c.head, 'seen', c.seen::text,
    'others', (select coalesce(jsonb_agg(o.topic), '[]') from millrace.lane o where o.shard = l.shard)))
  into cursors
  from lanes l
  left join lateral (
    select r.head, r.seen from millrace.receipt r
    where r.shard = l.shard and r.lane = l.lane
    order by r.epoch desc, r.counter desc limit 1) c on true;
  execute format($q$
      select c.shard, c.lane, c.head, o.id
      from jsonb_to_recordset($1) as c(shard smallint, lane text, head bigint, others jsonb)
      left join lateral (
        select o.id from millrace.outbox_slot_%s o
        where o.shard = c.shard and o.id > c.head
          and case when c.lane = '' then not c.others ? o.topic else o.topic = c.lane end
        order by o.id desc limit 1) o on true
      where c.head is null or o.id is not null
      order by c.shard, c.lane limit 1 $q$, p_slot)
    into unpublished using cursors;
  if unpublished.shard is not null then
    return format('shard %s%s %s', unpublished.shard,
      case when unpublished.lane = '' then '' else format(', lane %s', unpublished.lane) end,
      case when unpublished.head is null then 'has no receipt'
           else format('is published up to id %s, the slot reaches id %s', unpublished.head, unpublished.id) end);
  end if;
  execute format($q$
      select o.shard, o.id
      from millrace.outbox_slot_%s o
      join jsonb_to_recordset($1) as c(shard smallint, lane text, seen pg_snapshot, others jsonb)
        on c.shard = o.shard and case when c.lane = '' then not c.others ? o.topic else o.topic = c.lane end
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
