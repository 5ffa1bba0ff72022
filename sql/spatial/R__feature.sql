-- Purpose: the two statements around a change of a feature, in the writer's transaction and with the writer's rights.
-- lock_feature: locks the feature's row as it is and tells how its layer is announced. Volatile, READ COMMITTED: what a
--   transaction that was waited for has left behind is seen. version: of the row, or of the retired one; 0: there was none.
-- settle_feature: what the change has made of it. p_version: the version that the row must have now.
-- Rows returned: one each. Tables written: retired, by settle_feature when the row is gone. Locks: the feature's row.
-- Errors: 22023 naming the layer and the feature; 40001 when the feature was retired by a transaction that committed
--   between the two: repeat.
create or replace function millrace_spatial.lock_feature(p_layer text, p_feature_id text)
returns table (topic text, aggregate_type text, schema_version text, resolution smallint, record_key text,
               announce_left boolean, is_there boolean, version bigint, lon double precision, lat double precision)
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  layer millrace_spatial.layer := millrace_spatial.layer_of(p_layer);
  at double precision[];
begin
  if exists (select from pg_trigger t where t.tgrelid = layer.source and t.tgname = '0_millrace_spatial') then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'layer %s is captured: the trigger on %s announces every change, so write to the table', p_layer, layer.source);
  end if;
  execute millrace_spatial.feature_query(layer, true) into lock_feature.version, at using p_feature_id, layer.origin;
  is_there := lock_feature.version is not null;
  if not is_there then
    select r.version into lock_feature.version from millrace_spatial.retired r
    where r.layer = p_layer and r.feature_id = p_feature_id;
  end if;
  topic := layer.topic;
  aggregate_type := layer.aggregate_type;
  schema_version := layer.schema_version;
  resolution := layer.resolution;
  record_key := layer.record_key;
  announce_left := layer.announce_left;
  version := coalesce(lock_feature.version, 0);
  lon := at[1];
  lat := at[2];
  return next;
end
$$;

create or replace function millrace_spatial.settle_feature(
  p_layer text, p_feature_id text, p_version bigint, p_was_there boolean)
returns table (is_there boolean, lon double precision, lat double precision, occurred_at text)
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  layer millrace_spatial.layer := millrace_spatial.layer_of(p_layer);
  found_version bigint;
  at double precision[];
begin
  execute millrace_spatial.feature_query(layer, false) into found_version, at using p_feature_id, layer.origin;
  is_there := found_version is not null;
  if is_there and found_version <> p_version or not is_there and not p_was_there then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'feature %s of layer %s must have %I = %s after the change, found %s', p_feature_id, p_layer,
      layer.version_column, p_version, coalesce(found_version::text, 'no such row'));
  end if;
  if is_there and not p_was_there and exists (
      select from millrace_spatial.retired r
      where r.layer = p_layer and r.feature_id = p_feature_id and r.version >= p_version) then
    raise exception using errcode = 'serialization_failure', message = format(
      'feature %s of layer %s was retired meanwhile: repeat the change', p_feature_id, p_layer);
  end if;
  if not is_there then
    insert into millrace_spatial.retired as r (layer, feature_id, version) values (p_layer, p_feature_id, p_version)
    on conflict on constraint retired_pkey do update set version = excluded.version;
  end if;
  lon := at[1];
  lat := at[2];
  occurred_at := millrace_spatial.time_text(clock_timestamp());
  return next;
end
$$;

create or replace function millrace_spatial.layer_of(p_layer text) returns millrace_spatial.layer
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  layer millrace_spatial.layer;
begin
  select l.name, l.source, l.id_column, l.geometry_column, l.version_column, l.property_columns, l.topic,
         l.aggregate_type, l.resolution, l.origin, l.record_key, l.announce_left, l.schema_version
  into layer from millrace_spatial.layer l where l.name = p_layer;
  if not found then
    raise exception using errcode = 'undefined_object', message = format('there is no layer %L', p_layer);
  end if;
  -- A table of the same name that was made later is another one; so is a view that took its place.
  if not exists (select from pg_class c where c.oid = layer.source and c.relkind in ('r', 'p')) then
    raise exception using errcode = 'undefined_table', message = format('the table of layer %s is gone', p_layer);
  end if;
  return layer;
end
$$;

create or replace function millrace_spatial.id_type(p_layer millrace_spatial.layer) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format_type(a.atttypid, null) from pg_attribute a
    where a.attrelid = p_layer.source and a.attname = p_layer.id_column and not a.attisdropped
  $$;

-- The text of the query for one feature: $1 its id, $2 the layer's origin. An id has one spelling, or one feature would be
-- two aggregates.
create or replace function millrace_spatial.feature_query(p_layer millrace_spatial.layer, p_locks boolean) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format(
      'select t.%1$I, millrace_spatial.origin(t.%2$I, $2) from %3$s t where t.%4$I = $1::%5$s and t.%4$I::text = $1%6$s',
      p_layer.version_column, p_layer.geometry_column, p_layer.source, p_layer.id_column,
      millrace_spatial.id_type(p_layer), case when p_locks then ' for update of t' else '' end)
  $$;

-- RFC 3339, in UTC.
create or replace function millrace_spatial.time_text(p_time timestamptz) returns text
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$ select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

revoke execute on function millrace_spatial.lock_feature, millrace_spatial.settle_feature, millrace_spatial.layer_of,
  millrace_spatial.feature_query, millrace_spatial.id_type, millrace_spatial.time_text from public;
grant execute on function millrace_spatial.lock_feature, millrace_spatial.settle_feature to millrace_writer;
grant execute on function millrace_spatial.layer_of, millrace_spatial.feature_query, millrace_spatial.id_type,
  millrace_spatial.time_text to millrace_writer, millrace_layer;
