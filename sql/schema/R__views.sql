-- Purpose: the outbox as a person reads it. Not updatable, for it begins with a WITH.
-- state: published when the newest receipt of its lane covers the message, else waiting; parked while it is held back.
-- published_at: of the receipt whose batch covers the id; of a message that was committed late, about. Looks through the
--   shard's receipts: ask for a few messages at a time.
-- payload_text: bytes that are not printable ASCII as backslash and octal digits, so that any payload can be shown.
create or replace view millrace.message as
with cursors as materialized (
  select open.shard, open.lane, c.head, c.seen
  from (select s.shard, '' as lane from millrace.shard s union all select l.shard, l.topic from millrace.lane l) open
  cross join lateral (
    select r.head, r.seen from millrace.receipt r where r.shard = open.shard and r.lane = open.lane
    order by r.epoch desc, r.counter desc limit 1) c
)
select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
       o.schema_version, o.content_type, o.headers, encode(o.payload, 'escape') as payload_text, o.resolver, o.created_at,
       o.shard, o.slot,
       case when exists (select from millrace.parked p where p.id = o.id) then 'parked'
            when o.id <= c.head and pg_visible_in_snapshot(o.xid, c.seen) then 'published' else 'waiting' end as state,
       case when o.id <= c.head and pg_visible_in_snapshot(o.xid, c.seen)
                 and not exists (select from millrace.parked p where p.id = o.id) then
         (select min(r.published_at) from millrace.receipt r
          where r.shard = o.shard and r.first_id <= o.id and r.last_id >= o.id) end as published_at
from millrace.outbox o
left join millrace.lane l on l.shard = o.shard and l.topic = o.topic
left join cursors c on c.shard = o.shard and c.lane = coalesce(l.topic, '');

grant select on millrace.message to millrace_reader;
