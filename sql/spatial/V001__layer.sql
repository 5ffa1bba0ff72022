-- Spatial layers: which tables hold features, and how they are announced. Laid only where spatial.enabled is true.
-- Placeholder: postgis (the schema of the extension postgis).
-- Geometries stay in the tables of the application. None is stored here, and none goes through the outbox.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'millrace_layer') then
    create role millrace_layer nologin;
    comment on role millrace_layer is 'Reads the tables of spatial layers that their owners grant it, and nothing else.';
  end if;
  -- To hand a function to it. Whoever has made a role may not yet act as it.
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    execute format('grant millrace_layer to %I', current_user);
  end if;
end
$$;

grant usage on schema millrace_spatial to millrace_writer, millrace_relay, millrace_reader, millrace_operator, millrace_layer;

create table millrace_spatial.layer (
  name             text     primary key check (name ~ '^[a-z][a-z0-9_]{0,49}$'),
  source           regclass not null,
  id_column        text     not null,
  geometry_column  text     not null,
  version_column   text     not null,
  property_columns text[]   not null default '{}',
  topic            text     not null,
  aggregate_type   text     not null,
  resolution       smallint not null default 8 check (resolution between 0 and 15),
  origin           text     not null default 'centroid' check (origin in ('centroid', 'point_on_surface')),
  record_key       text     not null default 'routing_key' check (record_key in ('routing_key', 'feature_id')),
  announce_left    boolean  not null default false,
  schema_version   text
);
comment on table millrace_spatial.layer is 'Which tables hold features. Written by millrace_spatial.register_layer alone.';
grant select on millrace_spatial.layer
  to millrace_writer, millrace_relay, millrace_reader, millrace_operator, millrace_layer;

-- Written when a feature is retired, and never else: a feature that comes back under its id goes on counting from there,
-- or consumers would take its versions for stale.
create table millrace_spatial.retired (
  layer      text   not null,
  feature_id text   not null,
  version    bigint not null,
  primary key (layer, feature_id)
);
comment on table millrace_spatial.retired is 'The last versions of features that are gone.';
grant select, insert, update on millrace_spatial.retired to millrace_writer;
grant select on millrace_spatial.retired to millrace_reader;
