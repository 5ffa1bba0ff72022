-- Purpose: a page of the parked messages, by position. $1 behind which position  $2 how many at most  $3 topic
-- $4 aggregate type  $5 aggregate id  $6 state; null: any
-- Rows returned: one a message, next_after the same in each; one without an id when there is none. payload_bytes is null for
-- a tombstone. Tables written: none. Locks: ACCESS SHARE.
select p.next_after, p.id, p.message_id, p.shard, p.aggregate_type, p.aggregate_id, p.revision, p.topic, p.event_type,
       p.state, p.kind, p.reason, p.attempts, p.wanted, p.overtaken, p.payload_bytes, p.created_at, p.parked_at
from millrace.parked_page($1::bigint, $2::integer, $3::text, $4::text, $5::text, $6::text) p
order by p.id
