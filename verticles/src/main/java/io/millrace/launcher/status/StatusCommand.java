package io.millrace.launcher.status;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** One look. */
@Command(
    name = "status",
    description = {
      "Shows what a node and its database are at, over the node's admin API.",
      "Exit codes: 0 ready, 1 not ready or no answer."
    },
    mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
  @Mixin private final Target target = new Target();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Reading reading = Reading.of(target.open());
    PrintWriter out = spec.commandLine().getOut();
    StatusPage.of(reading).forEach(out::println);
    out.flush();
    return reading.isReady() ? 0 : 1;
  }
}
