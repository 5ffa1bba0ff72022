-- Purpose: keep the settings of the dedup window as configured. $1 token  $2 longest wait for a lock, in ms
-- $3 retention, in ms  $4 buckets ahead
-- Rows returned: one: null. Tables written: inbox_window. Locks: see millrace.bucket_settings.
select millrace.bucket_settings($1::uuid, $2::integer, $3::bigint, $4::integer) as postponed
