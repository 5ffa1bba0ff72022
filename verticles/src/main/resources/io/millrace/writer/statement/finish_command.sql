-- Purpose: record the answer of a command whose id is locked; millrace.finish_command says how.
-- $1 command id  $2 name  $3 sha256 of the arguments  $4 refused  $5 answer
-- Rows returned: one, without use. Tables written: command_answer. Locks: the row's own.
select millrace.finish_command($1::uuid, $2::text, $3::bytea, $4::boolean, $5::bytea)
