-- Purpose: remember how far a shard has come with a replay; millrace.record_replay says how it is fenced.
-- $1 shard  $2 token  $3 epoch  $4 incarnation  $5 replay  $6 position loaded or recorded before  $7 position now
-- $8 messages sent since  $9 messages skipped since  $10 why the last of them was  $11 why it waits, or null
-- $12 why the whole replay fails here, or null
-- Rows returned: one: recorded, fenced, other life or moved. Tables written: replay_shard, replay.
-- Locks: the shard's, shared; the replay's row where it may end.
select millrace.record_replay($1::integer, $2::uuid, $3::bigint, $4::text, $5::bigint, $6::bigint, $7::bigint,
  $8::integer, $9::integer, $10::text, $11::text, $12::text) as outcome
