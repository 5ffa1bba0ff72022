-- Purpose: give a shard back. $1 shard  $2 token
-- Rows returned: one: whether it was still this claim's. Tables written: shard. Locks: its row.
select millrace.release_shard($1::integer, $2::uuid) as is_released
