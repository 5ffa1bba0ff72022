-- Purpose: which of these records are new, and claim those; millrace.inbox_claim says how.
-- $1 consumer  $2 message ids  $3 their times, ms since 1970  $4 topics  $5 record keys  $6 whether parked messages block
-- Rows returned: one a record, ordinal from 1. Tables written: inbox. Locks: ROW EXCLUSIVE on inbox, the ids' own.
select c.ordinal, c.status
from millrace.inbox_claim($1::text, $2::uuid[], $3::bigint[], $4::text[], $5::bytea[], $6::boolean) c
