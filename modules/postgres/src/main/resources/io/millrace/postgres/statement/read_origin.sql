-- Purpose: may what is stored be read on this server? For the start of a node.
-- Rows returned: one. traces: what cannot come from this server, a line a kind; empty: nothing. known, actual: system
--   identifiers, of the server that the installation knows and of this one.
-- Tables written: none. Locks: ACCESS SHARE.
select array(select t from millrace.foreign_traces() t) as traces, i.known, i.actual
from millrace.server_identifiers() i
