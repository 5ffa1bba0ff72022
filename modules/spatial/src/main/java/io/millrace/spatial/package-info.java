/**
 * Features of PostGIS as aggregates: a change and its message in one transaction, the geometry read
 * when the message is published, H3 cells as routing keys.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.spatial;
