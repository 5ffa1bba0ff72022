-- Purpose: lock a command id and look for its answer; millrace.begin_command says how.
-- $1 command id  $2 name  $3 sha256 of the arguments  $4 days for which ids are accepted
-- Rows returned: one: the first answer, or nulls when the command has not run yet.
-- Tables written: none. Locks: the id's advisory lock, until the transaction ends.
select refused, answer from millrace.begin_command($1::uuid, $2::text, $3::bytea, $4::integer)
