-- Purpose: record a published batch; millrace.record_receipt says how it is fenced.
-- $1 shard  $2 lane  $3 token  $4 epoch  $5 incarnation  $6 counter  $7 seen  $8 head  $9 sweep target
-- $10 sweep position  $11 sweep end  $12 the sequence's value that the pass read  $13 messages  $14 first id  $15 last id
-- $16 what is parked  $17 the lane that ends  $18 lane version
-- Rows returned: one: recorded, fenced, other life or moved. Tables written: receipt, parked, blocked_key, lane,
-- shard. Locks: the shard's,
-- shared; the keys' of what is parked.
select millrace.record_receipt($1::integer, $2::text, $3::uuid, $4::bigint, $5::text, $6::bigint, $7::text, $8::bigint,
  $9::text, $10::bigint, $11::bigint, $12::bigint, $13::integer, $14::bigint, $15::bigint,
  $16::jsonb, $17::text, $18::bigint) as outcome
