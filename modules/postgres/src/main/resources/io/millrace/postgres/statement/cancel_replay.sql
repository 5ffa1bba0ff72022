-- Purpose: stop a replay. $1 replay  $2 who asks  $3 why
-- Rows returned: one: false when it had ended before. Tables written: replay, audit. Locks: the replay's row.
select millrace.cancel_replay($1::bigint, $2::text, $3::text) as is_changed
