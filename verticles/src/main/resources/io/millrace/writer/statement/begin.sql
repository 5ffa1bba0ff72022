-- Purpose: begin the transaction of one command. READ COMMITTED whatever the role's default is: with the old eyes of
-- REPEATABLE READ the first answer stays unseen after waiting for the lock of its id, and the command runs in vain.
-- Rows returned: none. Tables written: none. Locks: none.
begin isolation level read committed
