/** How the server writes its log. */
@org.jspecify.annotations.NullMarked
package io.millrace.launcher.log;
