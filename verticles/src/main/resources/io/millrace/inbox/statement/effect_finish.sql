-- Purpose: record how a call to the outside ended, in a transaction of its own; millrace.effect_finish.
-- $1 consumer  $2 message id  $3 its time, ms  $4 step  $5 outcome
-- Rows returned: one: the outcome that counts. Tables written: effect. Locks: the row's own.
select millrace.effect_finish($1::text, $2::uuid, $3::bigint, $4::text, $5::bytea) as outcome
