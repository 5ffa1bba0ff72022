package io.millrace.bench.limits;

import io.millrace.bench.spi.Subject;
import io.millrace.bench.spi.SubjectProcess;
import io.millrace.bench.spi.SubjectSettings;
import java.util.Map;

/** The process that measures the limits. */
public final class LimitsMain implements Subject {
  private final BareProducer producer;
  private final BareRead read;

  private LimitsMain(SubjectSettings settings) {
    producer = new BareProducer(settings);
    read = new BareRead(settings);
  }

  public static void main(String[] arguments) {
    SubjectProcess.run(arguments, LimitsMain::new);
  }

  @Override
  public Map<String, String> call(String command, Map<String, String> arguments) throws Exception {
    int count = Integer.parseInt(arguments.getOrDefault("count", "0"));
    int bytes = Integer.parseInt(arguments.getOrDefault("bytes", "0"));
    return switch (command) {
      case "describe" -> Map.of("text", producer.description() + "; " + read.description());
      case "lay" -> {
        read.lay();
        yield SubjectProcess.done();
      }
      case "produce" -> nanos(producer.produce(count, bytes));
      case "fill" -> {
        read.fill(count, bytes);
        yield SubjectProcess.done();
      }
      case "read" -> nanos(read.read(count));
      default -> throw SubjectProcess.unknown(command);
    };
  }

  private static Map<String, String> nanos(long nanos) {
    return Map.of("nanos", String.valueOf(nanos));
  }

  @Override
  public void close() {
    producer.close();
  }
}
