-- Purpose: make a restored database one that can be relayed from.
-- $1 who  $2 why, or null  $3 nodes and counters as they were a lease ago, as jsonb  $4 longest wait for a lock in ms
-- Rows returned: one: what was done, in numbers.
-- Tables written: see millrace.rebase. Locks: ACCESS EXCLUSIVE on outbox and receipt, see millrace.rebase.
select r.appended, r.dropped, r.lanes, r.nodes, r.head
from millrace.rebase($1, $2, ($3::text)::jsonb, $4::integer) r
