-- Purpose: give maintenance back. $1 token
-- Rows returned: one: whether it was still this claim's. Tables written: maintenance. Locks: its row.
select millrace.release_maintenance($1::uuid) as is_released
