-- Purpose: the newest progress of every stripe of a chain.
-- $1 consumer  $2 topic  $3 topic id  $4 topic partition
-- Rows returned: one a stripe; one without a stripe when there is none. is_topic_known: there is progress on another
-- topic partition of the topic. is_recreated: there is progress on a topic of that name with another id.
-- Tables written: none. Locks: ACCESS SHARE.
select n.stripe, n.stripe_count, n.counter, n.to_offset, n.leader_epoch, known.is_topic_known, known.is_recreated
from (select exists (
        select from millrace.chain c
        where c.consumer = $1::text and c.topic_id = $3::uuid and c.topic_partition <> $4::integer) as is_topic_known,
      exists (
        select from millrace.chain c
        where c.consumer = $1::text and c.topic = $2::text and c.topic_id <> $3::uuid) as is_recreated) known
left join millrace.chain_positions($1::text, $3::uuid, $4::integer) n on true
order by n.stripe
