/**
 * Vehicles that move on a map: each change of a feature is written with its message in one PostGIS
 * transaction, and arrives under the H3 cell it is in.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.feature;
