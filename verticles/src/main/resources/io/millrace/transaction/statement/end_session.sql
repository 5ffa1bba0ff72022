-- Purpose: end this session, because foreign code that was given up may still use its connection, which must not meet
-- somebody else's transaction.
-- Rows returned: none, as the session is gone. Tables written: none. Locks: none.
select pg_terminate_backend(pg_backend_pid())
