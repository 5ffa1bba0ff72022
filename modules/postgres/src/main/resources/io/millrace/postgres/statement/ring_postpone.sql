-- Purpose: keep for status pages why a slot is not cleaned. $1 token  $2 longest wait, in ms  $3 slot  $4 reason
-- Tables written: slot. Locks: see millrace.ring_postpone.
select millrace.ring_postpone($1::uuid, $2::integer, $3::integer, $4::text)
