-- The schema, its roles, and the functions that everything else rests on.
-- Placeholders: shard_count (fixed for ever when the schema is laid), payload_bytes_max (a later migrate may change it).
-- Roles are group roles without login: grant them to the login roles of applications and nodes.

do $$
declare
  role_name text;
begin
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'millrace needs a database with encoding UTF8, found %', current_setting('server_encoding');
  end if;
  if current_setting('server_version_num')::int < 150000 then
    raise exception 'millrace needs PostgreSQL 15 or newer, found %', current_setting('server_version');
  end if;
  foreach role_name in array array['millrace_writer', 'millrace_relay', 'millrace_maintenance', 'millrace_reader'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
  end loop;
end
$$;

grant usage on schema millrace to millrace_writer, millrace_relay, millrace_maintenance, millrace_reader;

create function millrace.shard_count() returns integer
  language sql immutable parallel safe
  as 'select ${shard_count}';
comment on function millrace.shard_count() is
  'How many hash slots the aggregates are spread over. Stored in every row: never change it.';

-- The first key of the two-key advisory locks of this installation, so that an application's own locks do not meet them.
do $$
begin
  execute format(
    'create function millrace.lock_class() returns integer language sql immutable parallel safe as ''select %s''',
    (random() * 2147483646)::int);
end
$$;

create function millrace.payload_bytes_max() returns integer
  language sql immutable parallel safe
  as 'select ${payload_bytes_max}';

-- sha256 rather than md5 or hashtext: allowed under FIPS, and the same on every PostgreSQL release.
-- convert_to is only stable because an encoding could be redefined; UTF8 cannot.
-- The length of the type keeps ('ab', 'c') apart from ('a', 'bc').
-- plpgsql rather than sql: a function that is less volatile than its body is never inlined, and plpgsql calls faster.
create function millrace.shard_of(aggregate_type text, aggregate_id text) returns smallint
  language plpgsql immutable strict parallel safe
  as $$
begin
  return (('x' || encode(substring(sha256(convert_to(length($1) || ':' || $1 || $2, 'UTF8')) from 1 for 4), 'hex')
          )::bit(32)::bigint % ${shard_count})::smallint;
end
$$;

create function millrace.uuid_v7() returns uuid
  language sql volatile parallel safe
  as $$
    select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
             placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
             from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
  $$;
comment on function millrace.uuid_v7() is
  'RFC 9562 section 5.7: gen_random_uuid with 48 bits of milliseconds in front and the version bits raised from 4 to 7.';

create function millrace.uuid_v7_ms(id uuid) returns bigint
  language sql immutable strict parallel safe
  as $$ select ('x0000' || substr(translate($1::text, '-', ''), 1, 12))::bit(64)::bigint $$;
comment on function millrace.uuid_v7_ms(uuid) is 'Milliseconds since 1970 in a UUIDv7.';

-- One life of the server. UNLOGGED: crash recovery and promotion empty it, which is the point.
create unlogged table millrace.incarnation_marker (
  singleton boolean primary key default true check (singleton),
  marker    uuid not null
);

-- Null when the marker is absent: nothing equals it.
create function millrace.incarnation() returns text
  language sql stable parallel restricted security definer set search_path = pg_catalog, pg_temp
  as $$
    select m.marker || '/' || c.system_identifier || '/' || d.oid
           || '/' || extract(epoch from pg_postmaster_start_time())
    from millrace.incarnation_marker m, pg_control_system() c, pg_database d
    where d.datname = current_database()
  $$;

-- Called in a transaction of its own by whoever finds the marker absent.
create function millrace.ensure_incarnation() returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$ insert into millrace.incarnation_marker (marker) values (gen_random_uuid()) on conflict do nothing $$;

-- Functions are for those they are granted to, not for everyone. Default privileges of a schema cannot take back what
-- everyone gets by default: every later script revokes for itself.
revoke execute on all functions in schema millrace from public;
grant execute on function millrace.shard_count(), millrace.payload_bytes_max(), millrace.shard_of(text, text),
  millrace.uuid_v7_ms(uuid)
  to millrace_writer, millrace_relay, millrace_maintenance, millrace_reader;
grant execute on function millrace.uuid_v7() to millrace_writer;
grant execute on function millrace.lock_class() to millrace_writer, millrace_relay, millrace_maintenance;
grant execute on function millrace.incarnation(), millrace.ensure_incarnation() to millrace_relay, millrace_maintenance;
