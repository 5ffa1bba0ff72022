-- Purpose: begin the transaction of a command or of a batch of messages. READ COMMITTED whatever the role's default is:
-- with the old eyes of REPEATABLE READ what another one has just committed stays unseen after waiting for its lock.
-- Rows returned: none. Tables written: none. Locks: none.
begin isolation level read committed
