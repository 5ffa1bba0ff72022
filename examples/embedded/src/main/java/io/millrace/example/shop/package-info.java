/**
 * An order service to be copied: Millrace embedded in an application's own process, beside its own
 * verticle, tables and consumer.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.shop;
