package io.millrace.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a capture adds to a writer, measured side by side in one run and asserted nowhere. No part
 * of the build; the command is in docs/capture.md.
 */
class CaptureCost {
  private static final int ROWS = Integer.getInteger("millrace.capture.rows", 100_000);
  private static final int ROUNDS = 5;
  private static final String COLUMNS =
      "(id integer primary key, status text, amount numeric, note text)";

  /** Statements that write so many rows, by what they do beside it. */
  private static final Map<String, String> SET_BASED =
      new TreeMap<>(
          Map.of(
              "1 plain", "insert into shop.plain " + rows(),
              "2 captured", "insert into shop.captured " + rows(),
              "3 appended",
                  "with changed as (insert into shop.appended %s returning id, status, amount, note)"
                          .formatted(rows())
                      + " select count(*) from changed c, millrace.append('t', 'o', c.id::text,"
                      + " 'o.created', convert_to(row_to_json(c)::text, 'UTF8')) a"));

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private static String rows() {
    return "select n, 'new', n / 100.0, repeat('x', 200) from generate_series(1, %d) n"
        .formatted(ROWS);
  }

  @Test
  void a_statement_of_many_rows_and_statements_of_one() throws SQLException {
    pg.execute("create schema shop");
    for (String table : List.of("plain", "captured", "appended")) {
      pg.execute("create table shop." + table + COLUMNS);
    }
    pg.execute("select millrace.capture('shop.captured', 't', 'o')");
    Connection writer = pg.connect(PgFixture.OPERATOR);

    print("microseconds a row, insert of many rows", measure(writer, SET_BASED));
    print("microseconds a row, one row a statement", measure(writer, oneByOne()));
  }

  /** The same by a loop on the server: a statement a row, without a network in between. */
  private static Map<String, String> oneByOne() {
    Map<String, String> statements = new TreeMap<>();
    SET_BASED.forEach(
        (name, sql) ->
            statements.put(
                name,
                "do $$ declare found_rows integer; begin for k in 1 .. %d loop %s; end loop; end $$"
                    .formatted(
                        ROWS,
                        sql.replace("generate_series(1, " + ROWS + ")", "generate_series(k, k)")
                            .replace(
                                " select count(*) from",
                                " select count(*) into found_rows from"))));
    return statements;
  }

  private static Map<String, List<Double>> measure(
      Connection writer, Map<String, String> statements) throws SQLException {
    Map<String, List<Double>> micros = new TreeMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      for (Map.Entry<String, String> statement : statements.entrySet()) {
        PgFixture.execute(writer, "checkpoint");
        long start = System.nanoTime();
        PgFixture.execute(writer, statement.getValue());
        double row = (System.nanoTime() - start) / 1e3 / ROWS;
        // The first round warms up what the others find warm.
        if (round > 0) {
          micros.computeIfAbsent(statement.getKey(), name -> new ArrayList<>()).add(row);
        }
        PgFixture.execute(
            writer,
            "alter table shop.captured disable trigger user;"
                + " truncate shop.plain, shop.captured, shop.appended, millrace.outbox;"
                + " alter table shop.captured enable trigger user");
      }
    }
    return micros;
  }

  private static void print(String title, Map<String, List<Double>> micros) {
    double plain = median(micros.get("1 plain"));
    System.out.println(title);
    micros.forEach(
        (name, all) ->
            System.out.printf(
                "  %-12s median %6.1f  (%s)  %.1f times plain%n",
                name,
                median(all),
                all.stream().map("%.1f"::formatted).toList(),
                median(all) / plain));
  }

  private static double median(List<Double> all) {
    double[] sorted = all.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElseThrow();
  }
}
