-- Purpose: record that a call to the outside is begun, in a transaction of its own; millrace.effect_begin.
-- $1 consumer  $2 message id  $3 its time, ms  $4 step
-- Rows returned: one: started, repeated, or finished with the outcome. Tables written: effect. Locks: the row's own.
select b.state, b.outcome from millrace.effect_begin($1::text, $2::uuid, $3::bigint, $4::text) b
