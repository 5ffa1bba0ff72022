-- Purpose: what has become of an order.  $1 order id
-- Rows returned: one. Tables written: none. Locks: ACCESS SHARE.
select exists (select from shop.placed_order o where o.order_id = $1::uuid) as placed,
       (select count(*) from shop.shipment s where s.order_id = $1::uuid) as shipments
