-- What writers call besides the outbox itself: revisions, and commands that are run once.

create table millrace.revision (
  aggregate_type text   not null,
  aggregate_id   text   not null,
  revision       bigint not null,
  primary key (aggregate_type, aggregate_id)
) with (fillfactor = 50);
comment on table millrace.revision is
  'Version numbers of aggregates that have no version column of their own. Updated: slows for a hot aggregate beside a '
  'long transaction, like any version column.';
grant select, insert, update on millrace.revision to millrace_writer;
grant select on millrace.revision to millrace_reader;

-- The answers of commands. The bucket is a pure function of the id, so a repeated id always meets the same unique
-- index. Sixteen buckets of a day go round: ids outside the window are refused, so a bucket can be truncated long before
-- it is used again.
create table millrace.command_answer (
  bucket      smallint    not null,
  command_id  uuid        not null,
  name        text        not null,
  arguments   bytea       not null,                    -- sha256 of what was asked
  refused     boolean     not null,
  answer      bytea       not null,
  answered_at timestamptz not null default clock_timestamp(),
  primary key (bucket, command_id)
) partition by list (bucket);

do $$
begin
  for bucket in 0 .. 15 loop
    execute format('create table millrace.command_answer_%1$s partition of millrace.command_answer '
                   'for values in (%1$s) with (autovacuum_enabled = off, toast.autovacuum_enabled = off)', bucket);
  end loop;
end
$$;

create function millrace.command_bucket(command_id uuid) returns smallint
  language sql immutable strict parallel safe
  as $$ select (millrace.uuid_v7_ms($1) / 86400000 % 16)::smallint $$;

revoke execute on function millrace.command_bucket(uuid) from public;
grant execute on function millrace.command_bucket(uuid) to millrace_writer, millrace_maintenance;
grant select, insert on millrace.command_answer to millrace_writer;
grant select on millrace.command_answer to millrace_maintenance, millrace_reader;
