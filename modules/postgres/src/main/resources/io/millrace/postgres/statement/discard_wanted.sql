-- Purpose: remove parked messages that an operator wants discarded. $1 shard  $2 token  $3 epoch  $4 rows at most
-- Rows returned: one: how many; null: fenced. Tables written: parked, blocked_key, audit. Locks: the shard's, the keys'.
select millrace.discard_wanted($1::integer, $2::uuid, $3::bigint, $4::integer) as discarded
