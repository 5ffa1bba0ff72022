-- Purpose: may Millrace's relay publish?
-- Rows returned: one: null when it may, else why not. Tables written: none. Locks: ACCESS SHARE.
select millrace.relay_refusal() as refusal
