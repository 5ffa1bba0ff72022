/**
 * The configuration as values: one record a section, and beside each field its key with default,
 * limits and unit. Reading files and the environment is done elsewhere; here is what is allowed.
 */
@NullMarked
package io.millrace.core.config;

import org.jspecify.annotations.NullMarked;
