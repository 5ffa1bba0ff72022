/**
 * The only place where adapters meet verticles: {@link io.millrace.launcher.Millrace} for an
 * application's own Vertx, {@link io.millrace.launcher.Main} for the server.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.launcher;
