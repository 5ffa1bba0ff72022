package io.millrace.devstack;

import java.nio.file.Path;
import java.util.List;

/**
 * What a watchdog starts and what it has to clean up.
 *
 * @param line program and arguments, the same for each start
 * @param directory where everything of the server lives
 * @param temporary whether the directory is deleted at the end
 * @param log receives the output of the server, all starts in one file
 * @param partingSignal the signal that ends the server fastest while it still removes what it holds
 *     outside of its directory, without "SIG"
 */
record ServerCommand(
    List<String> line, Path directory, boolean temporary, Path log, String partingSignal) {}
