package io.millrace.devstack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A PgBouncer in transaction mode on 127.0.0.1, before a {@link PostgresServer}: all its databases,
 * and all its users without a password.
 *
 * <p>The directory holds the configuration, "pgbouncer.ini", and the log, "pgbouncer.log".
 */
public final class PgBouncerServer implements DevServer {
  private static final String HOST = "127.0.0.1";
  private static final int CONNECT_MS_MAX = 1_000;

  /** At once, whoever is connected. */
  private static final List<String> STOP_SIGNALS = List.of("TERM");

  private final int port;
  private final Path log;
  private final ServerProcess process;

  private PgBouncerServer(PostgresServer target, String ini, Map<String, String> settings) {
    this.port = FreePorts.fixedOrPicked(OptionalInt.empty());
    ServerDirectory directory = ServerDirectory.of(null, "pgbouncer");
    this.log = directory.path().resolve("pgbouncer.log");
    Path configuration = directory.path().resolve("pgbouncer.ini");
    Path users = directory.path().resolve("userlist.txt");
    try {
      Files.writeString(configuration, ini + "\n" + sections(target, users, settings));
      Files.writeString(users, "\"%s\" \"\"%n".formatted(target.user()));
    } catch (IOException e) {
      throw new DevStackException("cannot write " + configuration, e);
    }
    this.process = process(directory, configuration);
  }

  /** Like PostgreSQL it refuses to be root. */
  private ServerProcess process(ServerDirectory directory, Path configuration) {
    PgBouncerPrograms programs = PgBouncerPrograms.find();
    Unprivileged user = Unprivileged.detect();
    user.handOver(directory.path());
    List<String> line = new ArrayList<>(user.prefix());
    line.addAll(programs.prefix());
    line.addAll(List.of(programs.program().toString(), configuration.toString()));
    return new ServerProcess(
        "PgBouncer", new ServerCommand(line, directory.path(), directory.temporary(), log, "TERM"));
  }

  /**
   * Unpacks the program where that is not done yet, and returns when it takes connections.
   *
   * @param settings by name, of its section "pgbouncer"
   * @throws DevStackException when it does not within 3 min, with the end of its log
   */
  public static PgBouncerServer start(PostgresServer target, Map<String, String> settings) {
    return start(target, "", settings);
  }

  /**
   * As {@link #start(PostgresServer, Map)}, with a configuration of its own.
   *
   * @param ini the text of a configuration file; where it listens, who may log in and the server
   *     are stronger, and so are the settings given
   */
  public static PgBouncerServer start(
      PostgresServer target, String ini, Map<String, String> settings) {
    PgBouncerServer server = new PgBouncerServer(target, ini, settings);
    try {
      server.process.start(server::accepts);
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** What comes later in a configuration is what counts. */
  private String sections(PostgresServer target, Path users, Map<String, String> own) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("pool_mode", "transaction");
    settings.put("listen_addr", HOST);
    settings.put("listen_port", String.valueOf(port));
    settings.put("unix_socket_dir", "");
    // To its standard error, which the log is.
    settings.put("logfile", "");
    settings.put("pidfile", "");
    settings.put("auth_type", "trust");
    settings.put("auth_file", users.toString());
    settings.put("client_tls_sslmode", "disable");
    settings.put("server_tls_sslmode", "disable");
    settings.putAll(own);
    StringBuilder text = new StringBuilder("[databases]\n");
    text.append(
        "* = host=%s port=%d auth_user=%s%n"
            .formatted(target.host(), target.port(), target.user()));
    text.append("[pgbouncer]\n");
    settings.forEach((name, value) -> text.append("%s = %s%n".formatted(name, value)));
    return text.toString();
  }

  private boolean accepts() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS_MAX);
      return true;
    } catch (IOException e) {
      return false; // not yet; the caller has a limit
    }
  }

  public String host() {
    return HOST;
  }

  public int port() {
    return port;
  }

  /** Without user and password. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://%s:%d/%s".formatted(HOST, port, database);
  }

  public Path logFile() {
    return log;
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public boolean isRunning() {
    return process.isRunning();
  }

  @Override
  public void kill() {
    process.kill();
  }

  @Override
  public void stop() {
    process.stop(STOP_SIGNALS);
  }

  /** Stops first if it runs; returns when connections are taken, at most 3 min after the start. */
  @Override
  public void restart() {
    stop();
    process.start(this::accepts);
  }

  @Override
  public void pause() {
    process.pause();
  }

  @Override
  public void resume() {
    process.resume();
  }

  @Override
  public void close() {
    process.close();
  }
}
