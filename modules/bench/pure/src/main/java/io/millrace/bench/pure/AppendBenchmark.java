package io.millrace.bench.pure;

import io.millrace.core.message.HeaderText;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.infra.Blackhole;

/** What a client does with messages before it sends its statement. */
public class AppendBenchmark extends PerMessage {
  private final MessageRules rules = new MessageRules(1_000_000);
  private final List<NewMessage> messages = Samples.toAppend();

  @Benchmark
  @OperationsPerInvocation(PASS)
  public void check() {
    rules.check(messages);
  }

  @Benchmark
  @OperationsPerInvocation(PASS)
  public void headerText(Blackhole hole) {
    for (NewMessage message : messages) {
      hole.consume(HeaderText.of(message.headers()));
    }
  }
}
