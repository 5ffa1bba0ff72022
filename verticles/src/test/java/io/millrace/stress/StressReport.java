package io.millrace.stress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What can be told of a run that does not come to its end or breaks a promise, while its files are
 * still there.
 */
final class StressReport {
  private static final int LINES_MAX = 10;
  private static final Pattern TROUBLE = Pattern.compile(" (WARN|ERROR) |^millrace: ");

  private static final String SHARDS =
      """
      select s.shard || ': epoch ' || s.epoch || ', owner ' || coalesce(n.name, s.owner::text, 'none')
             || ', head ' || coalesce(c.head::text, 'none') || ', seen ' || coalesce(c.seen::text, 'none')
             || ', highest id ' || coalesce(m.id::text, 'none') || ', waiting ' || m.waiting
      from millrace.shard s
      left join millrace.node n on n.node = s.owner
      left join lateral (
        select r.head, r.seen from millrace.receipt r where r.shard = s.shard and r.lane = ''
        order by r.epoch desc, r.counter desc limit 1) c on true
      cross join lateral (
        select max(m.id) as id, count(*) filter (where m.state <> 'published') as waiting
        from millrace.message m where m.shard = s.shard) m
      order by s.shard
      """;

  private static final String OPEN =
      "select pid || ' ' || coalesce(state, '') || ' since ' || coalesce(xact_start::text, '')"
          + " || ': ' || left(query, 100) from pg_stat_activity where xact_start is not null"
          + " and pid <> pg_backend_pid()";

  private final StressRun run;
  private final Path directory;

  StressReport(StressRun run, Path directory) {
    this.run = run;
    this.directory = directory;
  }

  String text() {
    StringBuilder text =
        new StringBuilder(
            "\ncommitted %d, arrived %d"
                .formatted(run.history().committed().size(), run.history().distinctDelivered()));
    section(text, "shards", column(SHARDS));
    section(text, "prepared transactions", column("select gid from pg_prepared_xacts"));
    section(text, "open transactions", column(OPEN));
    try (Stream<Path> files = Files.list(directory)) {
      files
          .filter(file -> file.toString().endsWith(".log"))
          .sorted()
          .forEach(log -> section(text, log.getFileName().toString(), trouble(log)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void section(StringBuilder text, String title, List<String> lines) {
    text.append('\n').append(title).append(':');
    lines.forEach(line -> text.append("\n  ").append(line));
  }

  /** The first and the last lines that speak of trouble. */
  private static List<String> trouble(Path log) {
    try (Stream<String> lines = Files.lines(log)) {
      List<String> found = lines.filter(line -> TROUBLE.matcher(line).find()).toList();
      int skipped = found.size() - 2 * LINES_MAX;
      if (skipped <= 0) {
        return found;
      }
      List<String> ends = new ArrayList<>(found.subList(0, LINES_MAX));
      ends.add("... " + skipped + " more ...");
      ends.addAll(found.subList(found.size() - LINES_MAX, found.size()));
      return ends;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> column(String sql) {
    List<String> values = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(run.url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    } catch (SQLException e) {
      values.add("the server does not tell: " + e.getMessage());
    }
    return values;
  }
}
