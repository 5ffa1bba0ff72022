-- Purpose: ship an order.  $1 order id
-- Rows returned: none. Tables written: shipment. Locks: none beyond the insert's.
insert into shop.shipment (order_id) values ($1::uuid)
