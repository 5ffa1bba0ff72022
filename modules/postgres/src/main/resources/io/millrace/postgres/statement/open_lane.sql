-- Purpose: open a lane for a topic; millrace.open_lane says how.
-- $1 shard  $2 token  $3 epoch  $4 incarnation  $5 counter  $6 topic  $7 reason  $8 ids of acknowledged followers
-- Rows returned: one: recorded, fenced or other life. Tables written: lane, shard, receipt.
-- Locks: the shard's, exclusively.
select millrace.open_lane($1::integer, $2::uuid, $3::bigint, $4::text, $5::bigint, $6::text, $7::text, $8::uuid[])
  as outcome
