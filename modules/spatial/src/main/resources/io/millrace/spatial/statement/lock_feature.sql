-- Purpose: lock a feature and read what it is and how its layer is announced. $1 layer  $2 feature id
-- Rows returned: one. Tables written: none. Locks: the feature's row.
select f.topic, f.aggregate_type, f.schema_version, f.resolution, f.record_key, f.announce_left, f.is_there, f.version,
       f.lon, f.lat
from millrace_spatial.lock_feature($1::text, $2::text) f
