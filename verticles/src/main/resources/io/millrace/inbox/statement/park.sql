-- Purpose: keep a message that is not applied; millrace.inbox_park says how.
-- $1 consumer  $2 message id  $3 its time, ms  $4 topic  $5 topic id  $6 topic partition  $7 offset  $8 leader epoch
-- $9 record time, ms  $10 key  $11 payload  $12 header names  $13 header values  $14 reason  $15 whether it blocks its key
-- $16 error  $17 attempts
-- Rows returned: one. Tables written: inbox_parked. Locks: the row's own.
select millrace.inbox_park($1::text, $2::uuid, $3::bigint, $4::text, $5::uuid, $6::integer, $7::bigint, $8::integer,
  $9::bigint, $10::bytea, $11::bytea, $12::text[], $13::bytea[], $14::text, $15::boolean, $16::text, $17::integer)
  as is_parked
