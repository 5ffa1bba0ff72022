-- Purpose: claim messages for a consumer in its own transaction; millrace.inbox_claim says how.
-- Parameters: the consumer; message ids and their times in milliseconds since 1970, an array each. No keys: a message that
-- is parked blocks no other here.
-- Rows returned: one a message, in the order given. Tables written: inbox. Locks: as in millrace.inbox_claim.
select c.ordinal, c.status
from millrace.inbox_claim(?::text, ?::uuid[], ?::bigint[], '{}'::text[], '{}'::bytea[], false) c
order by c.ordinal
