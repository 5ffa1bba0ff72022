-- Purpose: end the transaction of a command that failed.
-- Rows returned: none. Tables written: none. Locks: gives back all.
rollback
