-- Which server this installation lives on. Transaction ids are the server's: on another one, stored ids and snapshots
-- mean something only if it has taken over the first one's counter, as pg_upgrade makes it.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'millrace_operator') then
    create role millrace_operator nologin;
  end if;
end
$$;

create table millrace.server (
  singleton         boolean primary key default true check (singleton),
  system_identifier bigint      not null,
  known_since       timestamptz not null default clock_timestamp()
);
comment on table millrace.server is
  'The server that this installation was laid on, or that an operator has confirmed or rebased it on since.';

insert into millrace.server (system_identifier) select c.system_identifier from pg_control_system() c;

grant select on millrace.server to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
