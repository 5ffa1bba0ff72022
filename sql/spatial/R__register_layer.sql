-- Purpose: register a table of features as a layer, or change how it is announced; forget it again.
-- layer: 1 to 50 of a-z, 0-9 and _, a letter first. source: a table or partitioned table, whose owner has granted select on
--   it to millrace_layer. version_column: a bigint, not null, that every change of a row raises by one. property_columns: what is sent
--   beside the geometry. aggregate_type: null: the layer's name. resolution: of H3, 0 to 15. origin: which point of the
--   geometry has the cell: 'centroid' or 'point_on_surface'. record_key: 'routing_key' (all features of a cell in one
--   topic partition; the messages of a feature that moves lie in several) or 'feature_id' (all messages of a feature in
--   one). announce_left: whether a move is announced to the cell that was left, too.
-- Rows returned: none. Tables written: layer. Locks: the layer's row.
-- Errors: 22023 naming the field, what it must be and what was found.
-- It runs with Millrace's rights, for operators, and looks at the catalog alone: nothing of a table's owner is executed.
create or replace function millrace_spatial.register_layer(
  layer            text,
  source           regclass,
  id_column        text,
  geometry_column  text,
  version_column   text,
  topic            text,
  property_columns text[]  default '{}',
  aggregate_type   text    default null,
  resolution       integer default 8,
  origin           text    default 'centroid',
  record_key       text    default 'routing_key',
  announce_left    boolean default false,
  schema_version   text    default null)
returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  kind text := coalesce(register_layer.aggregate_type, register_layer.layer);
  sent text[] := coalesce(register_layer.property_columns, '{}');
  problem text;
begin
  problem := coalesce(
    case
      when coalesce(register_layer.layer, '') !~ '^[a-z][a-z0-9_]{0,49}$' then
        format('layer must have 1 to 50 characters of a-z, 0-9 and "_", a letter first, found %L', register_layer.layer)
      when coalesce(length(register_layer.topic), 0) not between 1 and 249
           or register_layer.topic !~ '^[a-zA-Z0-9._-]+$' or register_layer.topic in ('.', '..') then
        format('topic must have 1 to 249 characters of a-z, A-Z, 0-9, ".", "_" and "-", found %L',
               left(register_layer.topic, 300))
      when length(kind) not between 1 and 190 then
        format('aggregate_type must have 1 to 190 characters, found %s', length(kind))
      when register_layer.resolution is null or register_layer.resolution not between 0 and 15 then
        format('resolution must be 0 to 15, found %s', coalesce(register_layer.resolution::text, 'none'))
      when coalesce(register_layer.origin, '') not in ('centroid', 'point_on_surface') then
        format('origin must be centroid or point_on_surface, found %L', register_layer.origin)
      when coalesce(register_layer.record_key, '') not in ('routing_key', 'feature_id') then
        format('record_key must be routing_key or feature_id, found %L', register_layer.record_key)
      when register_layer.announce_left and register_layer.record_key = 'feature_id' then
        'announce_left needs the record_key routing_key, found feature_id: both messages would go the same way'
      when length(register_layer.schema_version) not between 1 and 100 then
        format('schema_version must have 1 to 100 characters, found %s', length(register_layer.schema_version))
    end,
    millrace_spatial.layer_table_problem(register_layer.source, register_layer.id_column),
    millrace_spatial.layer_column_problem(register_layer.source, register_layer.id_column,
      register_layer.geometry_column, register_layer.version_column, sent));
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'millrace_spatial.register_layer: ' || problem;
  end if;
  insert into millrace_spatial.layer as l (name, source, id_column, geometry_column, version_column, property_columns,
    topic, aggregate_type, resolution, origin, record_key, announce_left, schema_version)
  values (register_layer.layer, register_layer.source, register_layer.id_column, register_layer.geometry_column,
    register_layer.version_column, sent, register_layer.topic, kind, register_layer.resolution, register_layer.origin,
    register_layer.record_key, coalesce(register_layer.announce_left, false), register_layer.schema_version)
  on conflict (name) do update set source = excluded.source, id_column = excluded.id_column,
    geometry_column = excluded.geometry_column, version_column = excluded.version_column,
    property_columns = excluded.property_columns, topic = excluded.topic, aggregate_type = excluded.aggregate_type,
    resolution = excluded.resolution, origin = excluded.origin, record_key = excluded.record_key,
    announce_left = excluded.announce_left, schema_version = excluded.schema_version;
end
$$;

-- What was announced of it and is not published yet is parked.
create or replace function millrace_spatial.forget_layer(layer text) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  delete from millrace_spatial.layer l where l.name = forget_layer.layer;
  return found;
end
$$;

create or replace function millrace_spatial.layer_table_problem(p_source regclass, p_id_column text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select case
      when c.oid is null then 'source must name a table, found none'
      when c.relkind not in ('r', 'p') then
        format('source must be a table, found %s, which is of another kind (%s)', p_source, c.relkind)
      when c.relpersistence <> 'p' then
        format('source must survive a crash, found %s, which is unlogged or temporary', p_source)
      when n.nspname in ('millrace', 'millrace_spatial', 'pg_catalog', 'information_schema') then
        format('source must be a table of your own, found %s', p_source)
      when not (has_schema_privilege('millrace_layer', n.oid, 'usage')
                and has_table_privilege('millrace_layer', c.oid, 'select')) then
        format('source must be readable: grant usage on schema %I and select on %s to millrace_layer', n.nspname, p_source)
      when not exists (
          select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attname = p_id_column
          where i.indrelid = c.oid and i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null
            and i.indexprs is null and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) then
        format('id_column must be unique by an index on it alone (not partial, not deferrable), found %L of %s',
               p_id_column, p_source)
    end
    from (values (p_source)) s(oid)
    left join pg_class c on c.oid = s.oid
    left join pg_namespace n on n.oid = c.relnamespace
  $$;

-- Only types of PostgreSQL's own besides the geometry: how others become text is their owner's code.
create or replace function millrace_spatial.layer_column_problem(
  p_source regclass, p_id text, p_geometry text, p_version text, p_properties text[]) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format('%s must name %s of %s, found %L%s', f.field, f.rule, p_source, f.name, coalesce(', of ' || f.type, ''))
    from (
      select n.*, format_type(a.atttypid, null) as type,
        case
          when a.attnum is null or a.attgenerated = 'v' then false
          when n.field = 'id_column' then
            a.atttypid = any (array['int2', 'int4', 'int8', 'uuid', 'text', 'varchar']::regtype[])
          when n.field = 'geometry_column' then a.atttypid = '${postgis}.geometry'::regtype
          when n.field = 'version_column' then a.atttypid = 'int8'::regtype and a.attnotnull
          else t.typnamespace = 'pg_catalog'::regnamespace or b.typnamespace = 'pg_catalog'::regnamespace
               or t.typtype = 'e'
        end as fits
      from (
        select 'id_column' as field, 'a column of an integer type, uuid or text' as rule, p_id as name
        union all
        select 'geometry_column', 'a column of type geometry', p_geometry
        union all
        select 'version_column', 'a bigint column that is not null', p_version
        union all
        select 'property_columns', 'columns of built-in types', p.name from unnest(p_properties) p(name)
      ) n
      left join pg_attribute a
        on a.attrelid = p_source and a.attname = n.name and a.attnum > 0 and not a.attisdropped
      left join pg_type t on t.oid = a.atttypid
      left join pg_type b on b.oid = t.typbasetype and t.typtype = 'd'
    ) f
    where not f.fits limit 1
  $$;

revoke execute on function millrace_spatial.register_layer, millrace_spatial.forget_layer,
  millrace_spatial.layer_table_problem, millrace_spatial.layer_column_problem from public;
grant execute on function millrace_spatial.register_layer, millrace_spatial.forget_layer to millrace_operator;
