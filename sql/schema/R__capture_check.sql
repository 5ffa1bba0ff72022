-- Purpose: what millrace.capture finds out about a table before it makes a trigger: the columns it takes when none are
--   given, and every reason to refuse. Each returns null, or the first reason, for people.
-- Tables written: none. Locks: none but those of reading the catalog.

-- The primary key's columns in its order; null without one.
create or replace function millrace.capture_key(p_source regclass) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select array_agg(a.attname::text order by k.n)
    from pg_index i
    cross join lateral unnest(i.indkey) with ordinality k(attnum, n)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = p_source and i.indisprimary and k.n <= i.indnkeyatts
  $$;

-- Whether a type is, or holds as domain, array or composite, a geometry. By name: PostGIS may live in any schema.
create or replace function millrace.capture_is_geometry(p_type oid) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    with recursive inside(type) as (
      select p_type
      union
      select part.type
      from inside i
      join pg_type t on t.oid = i.type
      cross join lateral (
        select t.typbasetype as type where t.typtype = 'd'
        union all
        select t.typelem where t.typelem <> 0
        union all
        select a.atttypid from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      ) part
    )
    select exists (
      select from inside i join pg_type t on t.oid = i.type where t.typname in ('geometry', 'geography', 'raster'))
  $$;

-- Every column in the table's order but those that cannot be sent: geometries, and virtual generated columns, which a
-- trigger does not see.
create or replace function millrace.capture_columns(p_source regclass) returns text[]
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select coalesce(array_agg(a.attname::text order by a.attnum), '{}')
    from pg_attribute a
    where a.attrelid = p_source and a.attnum > 0 and not a.attisdropped
      and a.attgenerated <> 'v' and not millrace.capture_is_geometry(a.atttypid)
  $$;

create or replace function millrace.capture_source_problem(p_source regclass) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select case
      when c.oid is null then 'source must name a table, found none'
      when c.relkind not in ('r', 'p') then
        format('source must be a table, found %s, which is of another kind (%s)', p_source, c.relkind)
      when c.relpersistence <> 'p' then
        format('source must survive a crash, found %s, which is unlogged or temporary', p_source)
      when c.relispartition then
        format('source must be the partitioned table itself, found %s, a partition', p_source)
      when c.relkind = 'r' and exists (select from pg_inherits i where i.inhparent = c.oid) then
        format('source must have no children by inheritance, for triggers are not inherited; found some of %s', p_source)
      when n.nspname in ('millrace', 'pg_catalog', 'information_schema') then
        format('source must be a table of your own, found %s', p_source)
      when not pg_has_role(current_user, c.relowner, 'usage') then
        format('only the owner of %s may capture it: %s, found %s', p_source, pg_get_userbyid(c.relowner), current_user)
      when not (has_schema_privilege(c.relowner, 'millrace', 'usage')
                and has_any_column_privilege(c.relowner, 'millrace.outbox', 'insert')) then
        format('the owner of %s must be allowed to append: grant millrace_writer to %I', p_source,
               pg_get_userbyid(c.relowner))
    end
    from (values (p_source)) s(oid)
    left join pg_class c on c.oid = s.oid
    left join pg_namespace n on n.oid = c.relnamespace
  $$;

create or replace function millrace.capture_column_problem(
  p_source regclass, p_id_columns text[], p_columns text[], p_revision_column text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select case
      when cardinality(coalesce(p_id_columns, '{}')) not between 1 and 8 then
        format('id_columns must name 1 to 8 columns, found %s%s', cardinality(coalesce(p_id_columns, '{}')),
               case when p_id_columns is null then format(', and %s has no primary key', p_source) else '' end)
      when cardinality(p_columns) = 0 then 'columns must name at least one column that can be sent, found none'
      else (
        select format('%s must name columns of %s that can be sent, found %L, %s', f.field, p_source, f.name, f.problem)
        from (
          select n.field, n.place, n.name, case
              when n.name is null or a.attnum is null then 'which it does not have'
              when a.attgenerated = 'v' then 'which is generated when it is read'
              when n.field <> 'revision_column' and millrace.capture_is_geometry(a.atttypid) then
                'a geometry, which never goes through the outbox'
              when n.field = 'revision_column'
                   and a.atttypid not in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) then 'which is no integer'
              when count(*) over (partition by n.field, n.name) > 1 then 'twice'
            end as problem
          from (
            select 'id_columns', i.n, i.name from unnest(p_id_columns) with ordinality i(name, n)
            union all
            select 'columns', c.n, c.name from unnest(p_columns) with ordinality c(name, n)
            union all
            select 'revision_column', 1, p_revision_column where p_revision_column is not null
          ) n(field, place, name)
          left join pg_attribute a
            on a.attrelid = p_source and a.attname = n.name and a.attnum > 0 and not a.attisdropped
        ) f
        where f.problem is not null
        order by f.field desc, f.place limit 1)
    end
  $$;

-- The foreign key from exactly these columns to the parent, checked at once and valid for every row; null: none.
create or replace function millrace.capture_foreign_key(p_source regclass, p_id_columns text[], p_parent regclass)
returns oid
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select f.oid from pg_constraint f
    where f.contype = 'f' and f.conrelid = p_source and f.confrelid = p_parent
      and f.convalidated and not f.condeferrable
      and (select array_agg(a.attname order by a.attname) from pg_attribute a
           where a.attrelid = f.conrelid and a.attnum = any (f.conkey))
          = (select array_agg(i.name::name order by i.name::name) from unnest(p_id_columns) i(name))
    order by f.conname limit 1
  $$;

-- What keeps the order of an aggregate's messages: see millrace.capture.
create or replace function millrace.capture_lock_problem(p_source regclass, p_id_columns text[], p_parent regclass)
returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select case
      when p_parent is null and not exists (
          select from pg_index i
          where i.indrelid = p_source and i.indisunique and not i.indisexclusion and i.indimmediate and i.indisvalid
            and i.indpred is null and i.indexprs is null
            and not exists (
              select from unnest(i.indkey) with ordinality k(attnum, n)
              join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
              where k.n <= i.indnkeyatts and a.attname <> all (p_id_columns::name[]))) then
        format('id_columns must be unique by an index on columns of theirs (not partial, not deferrable), or name the'
               ' parent whose row stands for the aggregate; found %s of %s', p_id_columns::text, p_source)
      when p_parent is null then null
      when millrace.capture_foreign_key(p_source, p_id_columns, p_parent) is null then
        format('parent needs a foreign key (valid, not deferrable) from exactly the id_columns %s of %s, found none to %s',
               p_id_columns::text, p_source, p_parent)
      when not (has_table_privilege(c.relowner, p_parent, 'select')
                and has_any_column_privilege(c.relowner, p_parent, 'update')) then
        format('the owner of %s must be allowed to lock rows of %s: grant select, update on %s to %I', p_source, p_parent,
               p_parent, pg_get_userbyid(c.relowner))
    end
    from pg_class c where c.oid = p_source
  $$;

-- By the rules of millrace.append.
create or replace function millrace.capture_name_problem(p_topic text, p_aggregate_type text, p_event_prefix text)
returns text
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select case
      when coalesce(length(p_topic), 0) not between 1 and 249 or p_topic !~ '^[a-zA-Z0-9._-]+$' or p_topic in ('.', '..') then
        format('topic must have 1 to 249 characters of a-z, A-Z, 0-9, ".", "_" and "-", found %L', left(p_topic, 300))
      when coalesce(length(p_aggregate_type), 0) not between 1 and 200 then
        format('aggregate_type must have 1 to 200 characters, found %s', coalesce(length(p_aggregate_type), 0))
      when coalesce(length(p_event_prefix), 0) not between 1 and 192 then
        format('event_prefix must have 1 to 192 characters, found %s', coalesce(length(p_event_prefix), 0))
    end
  $$;
revoke execute on function millrace.capture_key, millrace.capture_is_geometry, millrace.capture_columns,
  millrace.capture_source_problem, millrace.capture_column_problem, millrace.capture_foreign_key,
  millrace.capture_lock_problem, millrace.capture_name_problem from public;
grant execute on function millrace.capture_key, millrace.capture_is_geometry, millrace.capture_columns,
  millrace.capture_source_problem, millrace.capture_column_problem, millrace.capture_foreign_key,
  millrace.capture_lock_problem, millrace.capture_name_problem to millrace_writer;
