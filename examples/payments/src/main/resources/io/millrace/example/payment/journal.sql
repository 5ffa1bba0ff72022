-- Purpose: one row a payment.
-- $1 event ids  $2 accounts  $3 amounts in cents
-- Rows returned: none. Tables written: bank.journal. Locks: none that others wait for.
insert into bank.journal (event_id, account, amount_cents)
select * from unnest($1::uuid[], $2::integer[], $3::bigint[])
