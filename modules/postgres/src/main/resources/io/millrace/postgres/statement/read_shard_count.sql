-- Purpose: how many shards there are.
-- Rows returned: one. Tables written: none. Locks: none.
select millrace.shard_count() as shard_count
