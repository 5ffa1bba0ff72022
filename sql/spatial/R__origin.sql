-- Purpose: the point that stands for a geometry when it is given a cell, as {longitude, latitude} in degrees of EPSG:4326.
-- p_origin: 'centroid' or 'point_on_surface'. In two dimensions.
-- Rows returned: one array; null for no geometry and an empty one. Longitude is at least -180 and below 180.
-- Tables written: none. Locks: none.
-- Errors: 22023 for an unknown reference system (SRID 0) and a latitude beyond the poles; what PostGIS raises for
--   coordinates that cannot be transformed.
--
-- Planar systems: the point is found where the geometry is stored and then transformed, for there the shape has no seam.
-- Degrees (and EPSG:3857, which has the same seam): an extent wider than 180 degrees is read as going the shorter way
-- round, across the antimeridian. A ring that goes round the earth has a pole inside, and that is its point.
create or replace function millrace_spatial.origin(p_geometry ${postgis}.geometry, p_origin text)
returns double precision[]
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  shape ${postgis}.geometry;
  point ${postgis}.geometry;
  system integer := ${postgis}.st_srid(p_geometry);
  width double precision;
begin
  if p_geometry is null or ${postgis}.st_isempty(p_geometry) then
    return null;
  end if;
  if system = 0 then
    raise exception using errcode = 'invalid_parameter_value',
      message = 'geometry must have a reference system, found SRID 0: set it with ST_SetSRID or in the column''s type';
  end if;
  shape := ${postgis}.st_force2d(p_geometry);
  if system = 3857 then
    shape := ${postgis}.st_transform(shape, 4326);
    system := 4326;
  end if;
  if not millrace_spatial.is_in_degrees(system) then
    point := ${postgis}.st_transform(millrace_spatial.planar_origin(shape, p_origin), 4326);
  else
    width := ${postgis}.st_xmax(shape::${postgis}.box3d) - ${postgis}.st_xmin(shape::${postgis}.box3d);
    if width > 180 then
      shape := millrace_spatial.across_antimeridian(shape, width);
    end if;
    point := millrace_spatial.planar_origin(shape, p_origin);
    if system <> 4326 then
      point := ${postgis}.st_transform(point, 4326);
    end if;
  end if;
  if not ${postgis}.st_y(point) between -90 and 90 or ${postgis}.st_x(point) in ('NaN', 'Infinity', '-Infinity') then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'latitude must be between -90 and 90 degrees, found %s at longitude %s: longitude comes first in PostGIS',
      ${postgis}.st_y(point), ${postgis}.st_x(point));
  end if;
  return array[
    ${postgis}.st_x(point) - 360 * floor((${postgis}.st_x(point) + 180) / 360), ${postgis}.st_y(point)];
end
$$;

create or replace function millrace_spatial.is_in_degrees(p_srid integer) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select coalesce((select s.srtext like 'GEOGC%' from ${postgis}.spatial_ref_sys s where s.srid = p_srid), false)
  $$;

-- Of rings that are no good GEOS may find no point on the surface: the centroid then, which any shape has.
create or replace function millrace_spatial.planar_origin(p_shape ${postgis}.geometry, p_origin text)
returns ${postgis}.geometry
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  point ${postgis}.geometry;
begin
  if p_origin = 'point_on_surface' then
    begin
      point := ${postgis}.st_pointonsurface(p_shape);
    exception when internal_error then
      point := null;
    end;
  end if;
  if point is null or ${postgis}.st_isempty(point) then
    point := ${postgis}.st_centroid(p_shape);
  end if;
  return point;
end
$$;

-- The shape as it lies on the earth, when its extent in degrees is wider than 180.
create or replace function millrace_spatial.across_antimeridian(p_shape ${postgis}.geometry, p_width double precision)
returns ${postgis}.geometry
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  shifted ${postgis}.geometry;
  is_round boolean;
  turns double precision;
begin
  for is_round, turns in
    select ${postgis}.st_xmax(d.geom::${postgis}.box3d) - ${postgis}.st_xmin(d.geom::${postgis}.box3d) > 359.999999,
           case when ${postgis}.st_dimension(d.geom) = 2 then millrace_spatial.turns(${postgis}.st_exteriorring(d.geom))
                else 0 end
    from ${postgis}.st_dump(p_shape) d
  loop
    if turns <> 0
       or is_round and (${postgis}.st_ymax(p_shape::${postgis}.box3d) >= 90
                        or ${postgis}.st_ymin(p_shape::${postgis}.box3d) <= -90) then
      return ${postgis}.st_setsrid(
        ${postgis}.st_makepoint(0, 90 * case when ${postgis}.st_y(${postgis}.st_centroid(p_shape)) < 0 then -1 else 1 end),
        ${postgis}.st_srid(p_shape));
    end if;
    -- A band round the earth that leaves the poles out: there is no shorter way.
    if is_round then
      return p_shape;
    end if;
  end loop;
  shifted := ${postgis}.st_shiftlongitude(p_shape);
  return case when ${postgis}.st_xmax(shifted::${postgis}.box3d) - ${postgis}.st_xmin(shifted::${postgis}.box3d) < p_width
              then shifted else p_shape end;
end
$$;

-- How often a ring goes round the earth, each of its edges taken the shorter way.
create or replace function millrace_spatial.turns(p_ring ${postgis}.geometry) returns double precision
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select coalesce(round(sum(e.step - 360 * round(e.step / 360)) / 360), 0)
    from (
      select ${postgis}.st_x(p.geom) - lag(${postgis}.st_x(p.geom)) over (order by p.path[1]) as step
      from ${postgis}.st_dumppoints(p_ring) p) e
    where e.step is not null
  $$;

revoke execute on function millrace_spatial.origin, millrace_spatial.is_in_degrees, millrace_spatial.planar_origin,
  millrace_spatial.across_antimeridian, millrace_spatial.turns from public;
grant execute on function millrace_spatial.origin, millrace_spatial.is_in_degrees, millrace_spatial.planar_origin,
  millrace_spatial.across_antimeridian, millrace_spatial.turns to millrace_writer;
