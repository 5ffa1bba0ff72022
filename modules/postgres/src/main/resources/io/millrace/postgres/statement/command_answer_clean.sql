-- Purpose: empty buckets of command answers that nobody can ask for any more. $1 token  $2 longest wait, in ms
-- Rows returned: one: whether any was. Tables written: command_answer. Locks: see millrace.command_answer_clean.
select millrace.command_answer_clean($1::uuid, $2::integer) as is_done
