-- Purpose: place an order if the customer's credit suffices.  $1 order id  $2 customer  $3 cents
-- Rows: the command tag counts one, or none: no such customer, or too little credit.
-- Tables written: customer, placed_order. Locks: the customer's row.
with charged as (
  update shop.customer set credit_cents = credit_cents - $3::bigint
  where customer = $2::text and credit_cents >= $3::bigint
  returning customer)
insert into shop.placed_order (order_id, customer, cents) select $1::uuid, c.customer, $3::bigint from charged c
