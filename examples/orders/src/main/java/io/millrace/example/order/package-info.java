/**
 * An application that takes orders: commands and a transaction of its own, with Millrace in its own
 * Vertx. {@code millrace dev} runs it on embedded servers and checks what arrives.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.order;
