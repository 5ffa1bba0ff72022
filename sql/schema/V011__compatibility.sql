-- Which nodes may run on this schema. A node knows the version of the schema it was made for. It starts if the schema is
-- that version or a later one, and the schema takes nodes of its version. A later script that older nodes cannot work with
-- sets compatible_from to its own version; all others leave it.

create table millrace.compatibility (
  singleton       boolean primary key default true check (singleton),
  compatible_from integer not null check (compatible_from > 0)
);
comment on table millrace.compatibility is
  'The lowest schema version that a node must have been made for to run on this schema.';

-- Earlier nodes do not look.
insert into millrace.compatibility (compatible_from) values (11);

grant select on millrace.compatibility to millrace_relay, millrace_maintenance, millrace_writer, millrace_inbox,
  millrace_reader, millrace_operator;
