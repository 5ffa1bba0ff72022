/**
 * An application that books payments: consumers that apply each event once, in the database and
 * with a payment provider, whatever crashes. {@code millrace check payments} shows it.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.payment;
