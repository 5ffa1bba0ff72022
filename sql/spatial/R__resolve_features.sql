-- Purpose: what features are now, for a batch of messages of one layer, in one query.
-- p_ids: their ids. p_digits: decimal digits of coordinates. p_bytes_max: a geometry or properties larger than that are not
--   returned, only how large they are.
-- Rows returned: one a feature that is there. geometry: GeoJSON in EPSG:4326, null for none and an empty one.
-- Tables written: none. Locks: ACCESS SHARE on the layer's table.
-- Errors: 42704 no such layer, 42P01 its table is gone, 42501 it may not be read, or only some of its rows; 22023 a geometry
--   without a reference system; what PostGIS raises.
--
-- Why an owner of its own: what a table's owner may have hung on it (policies, casts) then runs with the rights of
-- millrace_layer, which may read layers and nothing else, and never with those of a relay. Why row_security is off: a row
-- that a policy hides would be announced as gone; so it is an error.
create or replace function millrace_spatial.resolve_features(
  p_layer text, p_ids text[], p_digits integer, p_bytes_max integer)
returns table (feature_id text, version bigint, srid integer, bytes bigint, geometry text, properties text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set row_security = off
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'iso_8601' set bytea_output = 'hex'
  set extra_float_digits = 1
  as $$
declare
  layer millrace_spatial.layer := millrace_spatial.layer_of(p_layer);
  sent text;
begin
  select string_agg(format('t.%I', c.name), ', ' order by c.n) into sent
  from unnest(layer.property_columns) with ordinality c(name, n);
  return query execute format($query$
    with found as materialized (
      select t.%1$I::text as feature_id, t.%2$I as version, ${postgis}.st_srid(t.%3$I) as srid,
             millrace_spatial.geojson(t.%3$I, $2) as geometry, %4$s as properties
      from %5$s t where t.%1$I = any ($1::%6$s[]))
    select f.feature_id, f.version, f.srid, s.bytes, case when s.bytes <= $3 then f.geometry end,
           case when s.bytes <= $3 then f.properties end
    from found f
    cross join lateral (
      select coalesce(octet_length(f.geometry), 0)::bigint + coalesce(octet_length(f.properties), 0) as bytes) s
    $query$,
    layer.id_column, layer.version_column, layer.geometry_column,
    coalesce(format('(select row_to_json(p)::text from (select %s) p)', sent), 'null::text'),
    layer.source, millrace_spatial.id_type(layer))
  using p_ids, p_digits, p_bytes_max;
end
$$;

-- Height is kept, measures are not: GeoJSON has no place for them. Curves become lines.
create or replace function millrace_spatial.geojson(p_geometry ${postgis}.geometry, p_digits integer) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  shape ${postgis}.geometry := p_geometry;
begin
  if shape is null or ${postgis}.st_isempty(shape) then
    return null;
  end if;
  if ${postgis}.st_srid(shape) = 0 then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'geometry must have a reference system, found SRID 0';
  end if;
  if ${postgis}.st_hasarc(shape) then
    shape := ${postgis}.st_curvetoline(shape);
  end if;
  shape := case when ${postgis}.st_zmflag(shape) in (2, 3) then ${postgis}.st_force3dz(shape)
                else ${postgis}.st_force2d(shape) end;
  if ${postgis}.st_srid(shape) <> 4326 then
    shape := ${postgis}.st_transform(shape, 4326);
  end if;
  return ${postgis}.st_asgeojson(shape, p_digits, 0);
end
$$;

revoke execute on function millrace_spatial.resolve_features, millrace_spatial.geojson from public;
grant execute on function millrace_spatial.geojson to millrace_layer;

-- A new owner must be allowed to create in the schema, for as long as it takes to become one.
do $$
begin
  if (select p.proowner <> 'millrace_layer'::regrole from pg_proc p
      where p.oid = 'millrace_spatial.resolve_features(text, text[], integer, integer)'::regprocedure) then
    grant execute on function millrace_spatial.resolve_features to millrace_relay;
    grant create on schema millrace_spatial to millrace_layer;
    alter function millrace_spatial.resolve_features owner to millrace_layer;
    revoke create on schema millrace_spatial from millrace_layer;
  end if;
end
$$;
