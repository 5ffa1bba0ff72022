/** Where the configuration comes from: a YAML file, and over it the environment. */
@NullMarked
package io.millrace.launcher.config;

import org.jspecify.annotations.NullMarked;
