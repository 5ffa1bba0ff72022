-- Purpose: record what the provider has charged.
-- $1 event id  $2 account  $3 amount in cents  $4 the provider's id of the charge  $5 whether the call was made before
-- Rows returned: none. Tables written: bank.charge. Locks: none that others wait for.
insert into bank.charge (event_id, account, amount_cents, charge_id, was_repeated)
values ($1, $2, $3, $4, $5)
