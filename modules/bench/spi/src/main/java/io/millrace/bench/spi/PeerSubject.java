package io.millrace.bench.spi;

import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A peer and the writers that load it, by command. */
public final class PeerSubject implements Subject {
  private final SubjectSettings settings;
  private final Peer peer;
  private @Nullable WriterLoad load;

  public PeerSubject(SubjectSettings settings, Peer peer) {
    this.settings = settings;
    this.peer = peer;
  }

  @Override
  public Map<String, String> call(String command, Map<String, String> arguments) throws Exception {
    return switch (command) {
      case "describe" -> Map.of("text", peer.description());
      case "lay" -> {
        BusinessTable.lay(settings);
        peer.laySchema();
        yield SubjectProcess.done();
      }
      case "fill" -> {
        peer.fill(Backlog.of(arguments));
        yield SubjectProcess.done();
      }
      case "start" -> {
        peer.startRelay();
        yield SubjectProcess.done();
      }
      case "divided" -> {
        int relays = Integer.parseInt(SubjectSettings.text(arguments, "relays"));
        yield Map.of("divided", String.valueOf(peer.isDivided(relays)));
      }
      case "stop" -> {
        peer.stopRelay();
        yield SubjectProcess.done();
      }
      case "cost" -> cost(arguments);
      case "load" -> {
        load = WriterLoad.start(peer, LoadPlan.of(arguments));
        yield SubjectProcess.done();
      }
      case "loaded" -> loaded().await();
      default -> throw SubjectProcess.unknown(command);
    };
  }

  private Map<String, String> cost(Map<String, String> arguments) throws Exception {
    int bytes = Integer.parseInt(SubjectSettings.text(arguments, "bytes"));
    try (CostProbe probe = new CostProbe(settings, peer, bytes)) {
      return probe.run(Integer.parseInt(SubjectSettings.text(arguments, "seconds")));
    }
  }

  private WriterLoad loaded() {
    WriterLoad started = load;
    if (started == null) {
      throw new IllegalStateException("no load has been started");
    }
    return started;
  }

  @Override
  public void close() throws SQLException {
    peer.close();
  }
}
