package io.millrace.launcher.status;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks again and again. */
@Command(
    name = "top",
    description =
        "Shows the shards that are furthest behind, and everything of status, until it is ended.",
    mixinStandardHelpOptions = true)
public final class TopCommand implements Callable<Integer> {
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Mixin private final Target target = new Target();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(
      names = "--interval",
      defaultValue = "2",
      paramLabel = "S",
      description = "Seconds between two looks, 1 to 3600 (default: ${DEFAULT-VALUE}).")
  private int intervalS;

  @Option(
      names = "--shards",
      defaultValue = "10",
      paramLabel = "N",
      description = "How many shards, 1 to 1024 (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--plain",
      description = "One look behind the other, for a file or a pipe; else each replaces the last.")
  private boolean plain;

  @Option(
      names = "--rounds",
      defaultValue = "0",
      paramLabel = "N",
      description = "Looks until it ends by itself; 0 (the default): not before Ctrl-C.")
  private int rounds;

  @Override
  public Integer call() throws Exception {
    check("--interval", intervalS, 1, 3_600);
    check("--shards", shards, 1, 1_024);
    check("--rounds", rounds, 0, 1_000_000);
    AdminClient client = target.open();
    PrintWriter out = spec.commandLine().getOut();
    String clear = plain ? "" : CLEAR;
    for (int round = 1; rounds == 0 || round <= rounds; round++) {
      out.println(clear + String.join("\n", look(client)));
      out.flush();
      if (round != rounds) {
        TimeUnit.SECONDS.sleep(intervalS);
      }
    }
    return 0;
  }

  private static void check(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          option + " must be " + min + " to " + max + ", found " + value);
    }
  }

  /** A node that is away for a while is no reason to end. */
  private List<String> look(AdminClient client) throws InterruptedException {
    List<String> lines = new ArrayList<>();
    lines.add("millrace  " + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS));
    try {
      Reading reading = Reading.of(client);
      lines.addAll(StatusPage.of(reading));
      lines.add("");
      lines.addAll(StatusPage.furthestBehind(reading, shards));
    } catch (IOException e) {
      lines.add(String.valueOf(e.getMessage()));
    }
    return lines;
  }
}
