-- Purpose: the outbox as a person reads it. Not updatable, for it begins with a WITH.
-- state: published when the shard's newest receipt covers the message, else waiting.
-- published_at: of the receipt whose batch covers the id; of a message that was committed late, about. Looks through the
--   shard's receipts: ask for a few messages at a time.
-- payload_text: bytes that are not printable ASCII as backslash and octal digits, so that any payload can be shown.
create or replace view millrace.message as
with cursors as materialized (
  select s.shard, c.head, c.seen
  from millrace.shard s
  cross join lateral (
    select r.head, r.seen from millrace.receipt r where r.shard = s.shard and r.lane = ''
    order by r.epoch desc, r.counter desc limit 1) c
)
select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
       o.schema_version, o.content_type, o.headers, encode(o.payload, 'escape') as payload_text, o.resolver, o.created_at,
       o.shard, o.slot,
       case when o.id <= c.head and pg_visible_in_snapshot(o.xid, c.seen) then 'published' else 'waiting' end as state,
       case when o.id <= c.head and pg_visible_in_snapshot(o.xid, c.seen) then
         (select min(r.published_at) from millrace.receipt r
          where r.shard = o.shard and r.first_id <= o.id and r.last_id >= o.id) end as published_at
from millrace.outbox o
left join cursors c on c.shard = o.shard;

grant select on millrace.message to millrace_reader;
