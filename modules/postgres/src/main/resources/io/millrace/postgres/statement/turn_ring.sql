-- Purpose: have the ring turned at maintenance's next round. $1 who asks  $2 why
-- Rows returned: one: false when it had been asked for already. Tables written: slot, audit. Locks: the maintenance row.
select millrace.turn_ring($1::text, $2::text) as is_changed
