-- Purpose: let one migration at a time change the database, until the session ends. Not waited for: a statement that waits
--   has a snapshot, and an index that is built concurrently would wait for it in turn.
-- Rows returned: one, whether it is locked.
-- Tables written: none. Locks: an advisory one of the session, its key the first bytes of "millrace".
select pg_try_advisory_lock(x'6d696c6c72616365'::bigint)
