-- Purpose: where a refused command's change is undone to.
-- Rows returned: none. Tables written: none. Locks: none.
savepoint millrace_command
