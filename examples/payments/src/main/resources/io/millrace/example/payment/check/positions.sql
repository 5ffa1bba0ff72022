-- Purpose: where a consumer stands in each topic partition: everything below is done.
-- Parameter: the consumer
-- Rows returned: one a topic partition. Tables written: none. Locks: none that others wait for.
select c.topic_partition, min(p.to_offset) as position
from (select distinct consumer, topic_id, topic_partition from millrace.chain where consumer = ?) c
cross join lateral millrace.chain_positions(c.consumer, c.topic_id, c.topic_partition) p
group by c.topic_partition
