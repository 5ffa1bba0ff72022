-- Purpose: take a shard out of work. $1 shard  $2 who asks  $3 why
-- Rows returned: one: false when it was paused already. Tables written: shard, audit. Locks: the shard's row.
select millrace.pause_shard($1::integer, $2::text, $3::text) as is_changed
