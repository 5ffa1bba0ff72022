-- Purpose: whether layers are laid here, and this role may read them.
-- Rows returned: one. Tables written: none. Locks: none.
select f.oid is not null as is_laid,
       coalesce(has_schema_privilege(n.oid, 'usage') and has_function_privilege(f.oid, 'execute'), false) as may_read,
       current_user::text as role
from (values (1)) one
left join pg_namespace n on n.nspname = 'millrace_spatial'
left join pg_proc f on f.pronamespace = n.oid and f.proname = 'resolve_features'
