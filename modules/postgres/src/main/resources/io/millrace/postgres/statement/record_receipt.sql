-- Purpose: record published batches, of one or of several shards; millrace.record_receipt says how each is fenced.
-- One transaction: a receipt that is fenced does not keep the others from being recorded. A plpgsql function that is
-- volatile sees with each of its statements what has been committed by then, so one call here fences as one alone does.
-- Among several, a shard that somebody has locked is left out: the others shall not wait for it.
-- Arrays, one element a receipt, in ascending order of shards, as whoever locks several of them:
-- $1 shards  $2 lanes  $3 tokens  $4 epochs  $5 incarnations  $6 counters  $7 seen  $8 heads  $9 sweep targets
-- $10 sweep positions  $11 sweep ends  $12 the sequence's values that the passes read  $13 messages  $14 first ids
-- $15 last ids  $16 what is parked  $17 the lanes that end  $18 lane versions
-- Rows returned: one a receipt, by its place: recorded, fenced, other life or moved; or busy: left out, ask by itself.
-- Tables written: receipt, parked, blocked_key, lane, shard. Locks: the shards', shared; the keys' of what is parked.
select r.place,
       case when cardinality($1::integer[]) = 1 or pg_try_advisory_xact_lock_shared(millrace.lock_class(), r.shard) then
         millrace.record_receipt(r.shard, r.lane, r.token, r.epoch, r.incarnation, r.counter, r.seen, r.head,
           r.sweep_target, r.sweep_position, r.sweep_end, r.seq_before, r.message_count, r.first_id, r.last_id,
           r.parked::jsonb, r.ended_lane, r.lane_version)
       else 'busy' end as outcome
from unnest($1::integer[], $2::text[], $3::uuid[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::bigint[],
            $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::integer[], $14::bigint[], $15::bigint[],
            $16::text[], $17::text[], $18::bigint[])
  with ordinality as r(shard, lane, token, epoch, incarnation, counter, seen, head, sweep_target, sweep_position,
                       sweep_end, seq_before, message_count, first_id, last_id, parked, ended_lane, lane_version, place)
