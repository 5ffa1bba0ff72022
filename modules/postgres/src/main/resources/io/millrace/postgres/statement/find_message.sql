-- Purpose: where a message is. $1 message id  $2 milliseconds before and after its time  $3 messages to look at, at most
-- Rows returned: one; state is null when it was not found. Tables written: none. Locks: ACCESS SHARE.
select f.state, f.id, f.shard, f.slot, f.topic, f.aggregate_type, f.aggregate_id, f.created_at, f.receipt_lane,
       f.receipt_epoch, f.receipt_counter, f.published_at, f.rows_looked_at, f.is_complete
from millrace.find_message($1::uuid, $2::bigint, $3::integer) f
