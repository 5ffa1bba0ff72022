-- Purpose: undo what a refused command changed, and go on with the transaction, aborted or not.
-- Rows returned: none. Tables written: none. Locks: gives back what the command took.
rollback to savepoint millrace_command
