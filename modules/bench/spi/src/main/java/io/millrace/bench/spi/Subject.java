package io.millrace.bench.spi;

import java.sql.SQLException;
import java.util.Map;

/** What a process of the harness can do, by command. Called by one thread. */
public interface Subject extends AutoCloseable {

  /**
   * Blocks until it is done.
   *
   * @param arguments by name; neither names nor values contain tabs or line ends
   * @return answers by name, of the same kind
   * @throws Exception with what the harness is to report; the process then ends
   */
  Map<String, String> call(String command, Map<String, String> arguments) throws Exception;

  @Override
  void close() throws SQLException;
}
