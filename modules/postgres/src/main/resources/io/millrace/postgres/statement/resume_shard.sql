-- Purpose: put a shard back to work. $1 shard  $2 who asks  $3 why
-- Rows returned: one: false when it was not paused. Tables written: shard, audit. Locks: the shard's row.
select millrace.resume_shard($1::integer, $2::text, $3::text) as is_changed
