package io.millrace.bench.harness;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a message adds to a business transaction, nothing else running. */
final class CostScenario implements Scenario {
  private static final int BYTES = 1_000;
  private static final String NONE = "NONE";
  private static final Map<String, String> FORMS =
      Map.of(
          NONE,
          "no message",
          "APPEND",
          "a message by a statement of its own",
          "ONE_STATEMENT",
          "change and message by one statement",
          "BATCH",
          "10 messages by a statement of their own");

  @Override
  public String name() {
    return "cost";
  }

  @Override
  public void run(Bench bench) {
    for (int round = 0; round < bench.options().rounds; round++) {
      for (SubjectSpec spec : Bench.turned(bench.options().kinds(), round)) {
        try (Site site = bench.servers().site(spec.module());
            Child child = bench.start(spec, site)) {
          child.call("lay");
          site.settle();
          Map<String, String> found =
              child.call("cost", Map.of("bytes", BYTES, "seconds", bench.options().costSeconds));
          for (String form : FORMS.keySet()) {
            if (found.containsKey(form + ".tx_us")) {
              add(bench, spec.kind(), round, form, found);
            }
          }
        }
      }
    }
  }

  private void add(Bench bench, String subject, int round, String form, Map<String, String> found) {
    Map<String, Double> values = new HashMap<>();
    values.put("tx_us", number(found, form, "tx_us"));
    double messages = number(found, form, "messages");
    if (messages > 0) {
      for (String metric : List.of("tx_us", "backend_us", "wal_bytes")) {
        double more = number(found, form, metric) - number(found, NONE, metric);
        values.put("added_" + metric, more / messages);
      }
    }
    bench.add(new Figure(name(), FORMS.getOrDefault(form, form), round, subject, values, Map.of()));
  }

  private static double number(Map<String, String> found, String form, String metric) {
    return Double.parseDouble(found.getOrDefault(form + "." + metric, "0"));
  }

  @Override
  public String report(Bench bench) {
    StringBuilder text =
        new StringBuilder(
            """
            ## What a message costs its transaction

            One connection commits business transactions, an update of one row, with and without messages of %,d bytes, in
            blocks that take turns, nothing else running. Added: the difference to a transaction without a message, for each
            message: median time of the transaction, processor time of its backend, bytes of write-ahead log.

            """
                .formatted(BYTES));
    for (String form : List.of("APPEND", "ONE_STATEMENT", "BATCH")) {
      String group = FORMS.getOrDefault(form, form);
      text.append("### ").append(group).append("\n\n").append(table(bench, group)).append("\n");
    }
    return text.toString();
  }

  private String table(Bench bench, String group) {
    Figures figures = bench.figures();
    String first = bench.options().kinds().get(0).kind();
    Table table =
        new Table(
            "subject",
            "transaction µs",
            "added µs",
            "added backend µs",
            "these in parts of " + first + "'s",
            "added WAL bytes");
    for (String subject : figures.names(name(), Figure::subject)) {
      if (figures.spread(name(), group, subject, "tx_us").isPresent()) {
        table.row(
            List.of(
                subject,
                Table.cell(figures.spread(name(), group, subject, "tx_us"), 0),
                Table.cell(figures.spread(name(), group, subject, "added_tx_us"), 1),
                Table.cell(figures.spread(name(), group, subject, "added_backend_us"), 1),
                Table.cell(figures.ratio(name(), group, "added_backend_us", subject, first), 2),
                Table.cell(figures.spread(name(), group, subject, "added_wal_bytes"), 0)));
      }
    }
    return table.toString();
  }
}
