-- A relay reads one shard in id order.
using btree (shard, id)
