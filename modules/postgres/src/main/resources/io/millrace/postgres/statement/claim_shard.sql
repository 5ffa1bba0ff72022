-- Purpose: claim a shard, if it is still as it was seen. $1 shard  $2 node  $3 epoch seen  $4 owner seen  $5 its counter
-- Rows returned: the claim; none when somebody was faster or a receipt is being written.
-- Tables written: shard. Locks: the shard's advisory lock exclusively (tried), then its row.
select c.token, c.epoch from millrace.claim_shard($1::integer, $2::uuid, $3::bigint, $4::uuid, $5::bigint) c
