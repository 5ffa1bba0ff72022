/**
 * An application that takes orders: a command places them, consumers pay and ship them, each in a
 * transaction with the event that announces it; Millrace in its own Vertx. {@code millrace dev}
 * runs it on embedded servers and checks what arrives, and the money.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.order;
