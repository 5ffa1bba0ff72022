-- Who publishes the outbox: Millrace's relay, or Debezium through a replication slot. One row for the installation, so that
-- every node and every step of maintenance goes by the same answer. ("Slot" alone is a slot of the ring, never this one.)

create table millrace.publishing (
  singleton          boolean     primary key default true check (singleton),
  publisher          text        not null default 'relay' check (publisher in ('relay', 'debezium')),
  -- A switch under way: who publishes after it.
  next_publisher     text        check (next_publisher in ('relay', 'debezium')),
  changed_at         timestamptz not null default clock_timestamp(),

  -- On the way to Debezium: the transaction that made the publication, and the replication slot.
  publication_xid    xid8,
  replication_slot   text,
  -- What an accidental successor of the same name does not have: two_phase or failover.
  slot_mark          text,
  -- Where the replication slot stood when the barrier was drawn. What began below the barrier is the relay's to publish.
  barrier_lsn        pg_lsn,
  barrier_xid        xid8,

  -- Why the replication slot cannot be believed any more. Stays until the publisher is changed.
  broken             text,

  -- On the way back: what return_seen sees is published when the replication slot has confirmed return_lsn.
  return_seen        pg_snapshot,
  return_head        bigint,
  return_lsn         pg_lsn
) with (fillfactor = 50);
comment on table millrace.publishing is
  'Who publishes the outbox. Changed by millrace.prepare_debezium, millrace.use_debezium and millrace.use_relay alone.';

insert into millrace.publishing default values;

-- While Debezium publishes: at confirm_lsn in the log, every message of the slot that confirm_seen sees was committed.
alter table millrace.slot
  add column confirm_seen pg_snapshot,
  add column confirm_lsn pg_lsn;

-- Replication slots that could read the outbox and, an operator says, do not publish it: a warehouse's, a replica's.
create table millrace.permitted_replication_slot (
  replication_slot text        primary key,
  permitted_at     timestamptz not null default clock_timestamp()
);

grant select on millrace.publishing, millrace.permitted_replication_slot
  to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
