-- Purpose: what features of a layer are now. $1 layer  $2 ids  $3 decimal digits of coordinates  $4 bytes at most of one
-- Rows returned: one a feature that is there. Tables written: none. Locks: ACCESS SHARE on the layer's table.
select f.feature_id, f.version, f.srid, f.bytes, f.geometry, f.properties
from millrace_spatial.resolve_features($1::text, $2::text[], $3::integer, $4::integer) f
