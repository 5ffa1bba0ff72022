/**
 * Shows that each event is booked once: very many of them, a tenth repeated, with consumers that
 * are killed, frozen and stopped all the time; then every account is compared to the cent.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.payment.check;
