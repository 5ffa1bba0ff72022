-- Purpose: one parked message with the beginning of its payload. $1 position  $2 bytes of the payload at most
-- Rows returned: one, or none. payload_bytes: of all of it, null for a tombstone.
-- Tables written: none. Locks: ACCESS SHARE.
select p.id, p.message_id, p.shard, p.aggregate_type, p.aggregate_id, p.revision, p.topic, p.event_type, p.state, p.kind,
       p.reason, p.attempts, p.wanted, cardinality(p.overtaken) as overtaken, octet_length(p.payload) as payload_bytes,
       p.created_at, p.parked_at, p.message_key, p.schema_version, p.content_type, p.headers, p.resolver,
       substring(p.payload from 1 for $2::integer) as payload
from millrace.parked p
where p.id = $1::bigint
