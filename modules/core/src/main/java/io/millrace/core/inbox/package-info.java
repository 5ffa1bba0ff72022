/** What a consumer must know to apply a message once: its identity, its bucket, how far it is. */
@org.jspecify.annotations.NullMarked
package io.millrace.core.inbox;
