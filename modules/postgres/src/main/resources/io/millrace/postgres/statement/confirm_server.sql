-- Purpose: an operator says that this server is the known one in another body, as after pg_upgrade.
-- $1 who  $2 why, or null
-- Rows returned: one: whether there was anything to confirm.
-- Tables written: server, audit. Locks: ACCESS SHARE on what is looked at, the row of server.
select millrace.confirm_server($1, $2) as is_changed
