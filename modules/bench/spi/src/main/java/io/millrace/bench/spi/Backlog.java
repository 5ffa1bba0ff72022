package io.millrace.bench.spi;

import java.util.Map;

/**
 * Messages to commit before a relay starts.
 *
 * @param count a multiple of {@link Payloads#AGGREGATES}
 * @param firstRevision of every aggregate
 * @param payloadBytes at least {@link Payloads#BYTES_MIN}
 */
public record Backlog(long count, int firstRevision, int payloadBytes) {

  /** Rows of one transaction of a fill. */
  public static final int CHUNK = 10_000;

  /**
   * A statement's source of rows {@code (aggregate_id text, payload bytea)} in order, for one
   * chunk, with parameters: first and last number counted from 0, {@link #firstRevision}, {@link
   * #payloadBytes}.
   */
  public static final String ROWS =
      """
      (select lpad(to_hex(g %% %1$d), 8, '0') as aggregate_id,
              convert_to(rpad(lpad(to_hex(g %% %1$d), 8, '0') || '-'
                || lpad(to_hex(g / %1$d + r.first), 8, '0') || '-0000000000000000-',
                r.bytes, '%2$s'), 'UTF8') as payload
         from generate_series(?::bigint, ?::bigint) as s(g),
              (values (?::bigint, ?::int)) as r(first, bytes)
        order by g) as backlog
      """
          .formatted(Payloads.AGGREGATES, Payloads.FILLER);

  public Backlog {
    if (count % Payloads.AGGREGATES != 0 || payloadBytes < Payloads.BYTES_MIN) {
      throw new IllegalArgumentException(
          "a backlog is a multiple of %d messages of at least %d bytes, found %d of %d"
              .formatted(Payloads.AGGREGATES, Payloads.BYTES_MIN, count, payloadBytes));
    }
  }

  static Backlog of(Map<String, String> values) {
    return new Backlog(
        Long.parseLong(SubjectSettings.text(values, "count")),
        Integer.parseInt(SubjectSettings.text(values, "revision")),
        Integer.parseInt(SubjectSettings.text(values, "bytes")));
  }
}
