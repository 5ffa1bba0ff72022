/** What an operator sees in a terminal, over the admin API of one node. */
@org.jspecify.annotations.NullMarked
package io.millrace.launcher.status;
