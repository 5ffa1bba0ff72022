-- Who reads a shard, and who turns the ring. These tables are written at the rate of heartbeats and changes of owner,
-- not of messages: they may be updated.

create table millrace.node (
  node       uuid primary key,
  name       text not null,
  role       text not null check (role in ('relay', 'maintenance')),
  counter    bigint not null default 0,
  started_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on column millrace.node.counter is
  'The heartbeat. An observer calls the node dead when it has not moved for the lease on the observer''s own clock.';

create table millrace.shard (
  shard      smallint primary key,
  owner      uuid,
  token      uuid,
  epoch      bigint not null default 0,
  paused     boolean not null default false,
  claimed_at timestamptz,
  constraint owner_and_token_come_together check ((owner is null) = (token is null))
) with (fillfactor = 50);
comment on column millrace.shard.token is
  'Random for every claim: after an asynchronous failover the same epoch can be issued twice.';

insert into millrace.shard (shard) select generate_series(0, millrace.shard_count() - 1);

create table millrace.maintenance (
  singleton  boolean primary key default true check (singleton),
  owner      uuid,
  token      uuid,
  epoch      bigint not null default 0,
  claimed_at timestamptz
) with (fillfactor = 50);
insert into millrace.maintenance default values;

grant select on millrace.node, millrace.shard, millrace.maintenance
  to millrace_relay, millrace_maintenance, millrace_reader;
