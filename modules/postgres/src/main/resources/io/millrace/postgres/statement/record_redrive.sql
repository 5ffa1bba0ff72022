-- Purpose: record what became of parked messages that were tried again; millrace.record_redrive says how.
-- $1 shard  $2 token  $3 epoch  $4 incarnation  $5 positions published  $6 refused, with reasons  $7 positions that wait  $8 delay in ms
-- Rows returned: one: recorded, fenced or other life. Tables written: parked, blocked_key, audit.
-- Locks: the shard's, shared; the keys'.
select millrace.record_redrive($1::integer, $2::uuid, $3::bigint, $4::text, $5::bigint[], $6::jsonb, $7::bigint[], $8::bigint)
  as outcome
