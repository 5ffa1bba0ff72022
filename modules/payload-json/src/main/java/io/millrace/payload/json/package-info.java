/** Payloads in JSON, by Jackson. */
@org.jspecify.annotations.NullMarked
package io.millrace.payload.json;
