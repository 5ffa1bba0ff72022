-- Purpose: take over maintenance, if it is still as it was seen. $1 node  $2 epoch seen  $3 owner seen  $4 its counter
-- Rows returned: the claim; none when somebody was faster. Tables written: maintenance. Locks: its row.
select c.token, c.epoch from millrace.claim_maintenance($1::uuid, $2::bigint, $3::uuid, $4::bigint) c
