-- Purpose: end a transaction that failed.
-- Rows returned: none. Tables written: none. Locks: gives back all.
rollback
