/** Payloads in Avro, with the schema named in front of the data. */
@org.jspecify.annotations.NullMarked
package io.millrace.payload.avro;
