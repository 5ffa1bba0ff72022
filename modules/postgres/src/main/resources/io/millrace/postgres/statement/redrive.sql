-- Purpose: have parked messages published again. $1 who asks  $2 why  $3 message ids
-- Rows returned: one: how many messages it concerns. Tables written: audit, parked, blocked_key. Locks: the keys' rows.
select millrace.redrive($1::text, $2::text, $3::uuid[]) as concerned
