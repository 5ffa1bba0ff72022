-- The application's own tables.
create schema bank;

create table bank.account (
  account       integer primary key,
  balance_cents bigint not null
) with (fillfactor = 50);

-- No unique key on purpose: an event that was booked twice would be seen here.
create table bank.journal (
  event_id     uuid    not null,
  account      integer not null,
  amount_cents bigint  not null
);

-- What a payment provider has charged.
create table bank.charge (
  event_id     uuid    not null,
  account      integer not null,
  amount_cents bigint  not null,
  charge_id    text    not null,
  was_repeated boolean not null
);
