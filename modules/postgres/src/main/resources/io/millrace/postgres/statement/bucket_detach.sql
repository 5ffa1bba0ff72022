-- Purpose: detach a retiring bucket. $1 token  $2 longest wait for a lock, in ms
-- $3 inbox or effect  $4 bucket
-- Rows returned: one: null when done, else why not. Tables written: bucket. Locks: see millrace.bucket_detach.
select millrace.bucket_detach($1::uuid, $2::integer, $3::text, $4::integer) as postponed
