-- Progress is appended: one row a published batch. Of a shard's lane, the row with the highest (epoch, counter) is its
-- cursor. Rotated like the outbox: three lists, the one that the sequence names takes new rows.

create sequence millrace.receipt_part as smallint minvalue 0 maxvalue 2 start 0 cycle cache 1;
select setval('millrace.receipt_part', 0);

create table millrace.receipt (
  part           smallint    not null default pg_sequence_last_value('millrace.receipt_part'::regclass)::smallint,
  shard          smallint    not null,
  lane           text        not null default '',       -- '' is the main lane, else the quarantined topic
  epoch          bigint      not null,
  counter        bigint      not null,                  -- one per shard, not per lane
  seen           pg_snapshot not null,
  head           bigint      not null,
  sweep_target   pg_snapshot,                           -- the late part of a sweep is under way
  sweep_position bigint,
  sweep_end      bigint,                                -- a sweep is under way
  -- The outbox sequence's value that the pass read, in an earlier transaction than this one, and never a default: any
  -- transaction with an xid above this row's draws only ids above it, whatever else this transaction did.
  seq_before     bigint      not null,
  xid            xid8        not null default pg_current_xact_id(),
  message_count  integer     not null,
  first_id       bigint,
  last_id        bigint,
  node           uuid,
  published_at   timestamptz not null default clock_timestamp(),
  primary key (shard, lane, epoch, counter, part),        -- in this order: the newest of a lane is looked up
  constraint sweep_is_whole check (
    (sweep_target is null) = (sweep_position is null) and (sweep_target is null or sweep_end is not null))
) partition by list (part);
comment on table millrace.receipt is 'What has been published. Rows are never updated; old ones go by TRUNCATE.';

do $$
begin
  for part in 0 .. 2 loop
    execute format('create table millrace.receipt_%1$s partition of millrace.receipt for values in (%1$s) '
                   'with (autovacuum_enabled = off, fillfactor = 100)', part);
  end loop;
end
$$;
-- A pass looks for the newest receipt below a transaction id; a status page for the receipt of a message id.
create index receipt_xid on millrace.receipt (xid);

create table millrace.receipt_part_state (
  part      smallint primary key,
  opened_at timestamptz,
  closed_at timestamptz
) with (fillfactor = 50);
insert into millrace.receipt_part_state values (0, clock_timestamp(), null), (1, null, null), (2, null, null);

-- Every shard has a cursor from the first moment: a lane without a receipt means that nothing may be truncated.
insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)
select shard, 0, 0, pg_current_snapshot(), 0, 0, 0 from millrace.shard;

grant select on millrace.receipt, millrace.receipt_part_state to millrace_relay, millrace_maintenance, millrace_reader;
grant select on sequence millrace.receipt_part to millrace_relay, millrace_maintenance, millrace_reader;
