-- Purpose: which of some keys are blocked: the lookup of a batch. $1 shard  $2 aggregate types  $3 ids  $4 topics
-- Rows returned: the blocked ones among them. Tables written: none. Locks: ACCESS SHARE.
select b.aggregate_type, b.aggregate_id, b.topic
from unnest($2::text[], $3::text[], $4::text[]) as k(aggregate_type, aggregate_id, topic)
join millrace.blocked_key b
  on b.shard = $1::smallint and b.aggregate_type = k.aggregate_type and b.aggregate_id = k.aggregate_id
     and b.topic = k.topic
