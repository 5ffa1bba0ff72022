-- Purpose: which version the schema has, and from which version on nodes may run on it.
-- Rows returned: one. Tables written: none. Locks: ACCESS SHARE.
select millrace.schema_version() as schema_version, c.compatible_from from millrace.compatibility c
