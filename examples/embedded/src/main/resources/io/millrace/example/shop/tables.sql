-- Purpose: the application's own tables; its owner runs this once.
create schema shop;
create table shop.customer (customer text primary key, credit_cents bigint not null check (credit_cents >= 0));
create table shop.placed_order (
  order_id  uuid        primary key,
  customer  text        not null references shop.customer,
  cents     bigint      not null check (cents > 0),
  placed_at timestamptz not null default clock_timestamp()
);
-- No unique index: that nothing is shipped twice is not its doing.
create table shop.shipment (order_id uuid not null, shipped_at timestamptz not null default clock_timestamp());
insert into shop.customer values ('ada', 100000), ('grace', 100000);
