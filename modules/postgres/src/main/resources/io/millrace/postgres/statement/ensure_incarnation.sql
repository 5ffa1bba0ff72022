-- Purpose: make the incarnation marker when the server has none, in a transaction of its own.
-- Tables written: incarnation_marker. Locks: none but the row's own.
select millrace.ensure_incarnation()
