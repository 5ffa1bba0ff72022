package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.postgresql.Driver;

/**
 * A PostgreSQL on 127.0.0.1 whose commits are durable, as in production.
 *
 * <p>Superuser "postgres", no password: everybody on this machine can connect. Start it where that
 * is acceptable.
 *
 * <p>The directory holds the data folder, "data", and the log, "postgres.log".
 */
public final class PostgresServer implements DevServer {
  private static final String HOST = "127.0.0.1";
  private static final String USER = "postgres";
  private static final Pattern DATABASE_NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

  /** Fast shutdown first, which ends open sessions and writes a checkpoint, then immediate. */
  private static final List<String> STOP_SIGNALS = List.of("INT", "QUIT");

  private final Path dataFolder;
  private final Path log;
  private final int port;
  private final ServerControl process;

  private PostgresServer(PostgresSpec spec) {
    boolean isContainer = isContainer(spec);
    this.port = FreePorts.fixedOrPicked(spec.port());
    ServerDirectory directory = ServerDirectory.of(spec.dataDirectory(), "postgres");
    this.dataFolder = directory.path().resolve("data");
    this.log = directory.path().resolve("postgres.log");
    this.process =
        isContainer
            ? new ServerContainer(
                "PostgreSQL " + spec.majorVersion(),
                ContainerSpec.postgres(spec.majorVersion(), settings(spec)),
                log)
            : process(spec, directory);
  }

  /** There is no image for what the system's packages bring, and what lasts stays where it is. */
  private static boolean isContainer(PostgresSpec spec) {
    return !spec.postgis()
        && spec.dataDirectory() == null
        && ServerChoice.fromSystemProperty().usesContainers();
  }

  private ServerProcess process(PostgresSpec spec, ServerDirectory directory) {
    PostgresPrograms programs = PostgresPrograms.of(spec);
    Unprivileged user = Unprivileged.detect();
    user.handOver(directory.path());
    List<String> line = new ArrayList<>(user.prefix());
    line.addAll(programs.prefix());
    line.addAll(List.of("sh", "-c", Resources.text("postgres.sh"), "millrace-postgres"));
    line.addAll(List.of(programs.bin().toString(), dataFolder.toString()));
    line.add(directory.temporary() ? "temporary" : "lasting");
    settings(spec).forEach((name, value) -> line.addAll(List.of("-c", name + "=" + value)));
    return new ServerProcess(
        spec.postgis() ? "PostgreSQL with PostGIS" : "PostgreSQL " + spec.majorVersion(),
        new ServerCommand(line, directory.path(), directory.temporary(), log, "QUIT"));
  }

  /**
   * Unpacks the programs and makes the data folder where that is not done yet, and returns when the
   * server accepts connections.
   *
   * @throws DevStackException when it does not within 3 min, with the end of its log
   */
  public static PostgresServer start(PostgresSpec spec) {
    PostgresServer server = new PostgresServer(spec);
    try {
      server.process.start(server::accepts);
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private Map<String, String> settings(PostgresSpec spec) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("listen_addresses", HOST);
    settings.put("port", String.valueOf(port));
    settings.put("unix_socket_directories", "");
    settings.put("fsync", "on");
    settings.put("synchronous_commit", "on");
    settings.put("max_connections", "200");
    settings.put("max_prepared_transactions", "64");
    settings.put("shared_buffers", "128MB");
    settings.put("max_wal_size", "1GB");
    // In the data folder rather than in /dev/shm, where it would survive a SIGKILL.
    settings.put("dynamic_shared_memory_type", "mmap");
    settings.putAll(spec.settings());
    return settings;
  }

  private boolean accepts() {
    try (Connection connection = connect()) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false; // not yet; the caller has a limit
    }
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.put("user", USER);
    properties.put("connectTimeout", "2");
    properties.put("socketTimeout", "30");
    Connection connection = new Driver().connect(jdbcUrl(USER), properties);
    if (connection == null) {
      throw new SQLException("not a PostgreSQL URL: " + jdbcUrl(USER));
    }
    return connection;
  }

  /**
   * Creates an empty database, encoded in UTF-8.
   *
   * @param name at most 63 small letters, digits and underscores, no digit first
   * @throws DevStackException when it exists already or the server does not answer within 3 min
   */
  public void createDatabase(String name) {
    if (!DATABASE_NAME.matcher(name).matches()) {
      throw new DevStackException("not a plain database name: " + name);
    }
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    } catch (SQLException e) {
      throw new DevStackException("cannot create database " + name, e);
    }
  }

  public String host() {
    return HOST;
  }

  public int port() {
    return port;
  }

  public String user() {
    return USER;
  }

  /** Without user and password; the database "postgres" always exists. */
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

  /** Waits 10 s for a fast shutdown, 10 s more for an immediate one, then kills. */
  @Override
  public void stop() {
    process.stop(STOP_SIGNALS);
  }

  /**
   * Stops first if it runs; returns when connections are accepted, at most 3 min after the start.
   */
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
    try {
      if (!process.isRunning()) {
        removeSharedMemory();
      } else if (!process.isTemporary()) {
        stop();
      }
    } finally {
      process.close();
    }
  }

  /**
   * The few bytes of System V shared memory by which a data folder is locked survive a SIGKILL and
   * only a next start would remove them. A killed server leaves a pid file with its process id in
   * line 1 and key and id of the memory in line 7.
   */
  private void removeSharedMemory() {
    Path pidFile = dataFolder.resolve("postmaster.pid");
    if (!process.wasStarted() || !Files.exists(pidFile)) {
      return;
    }
    try {
      List<String> lines = Files.readAllLines(pidFile);
      // Another server may own the folder: then its lock must stay.
      if (lines.size() > 6 && lines.get(0).trim().equals(String.valueOf(pid()))) {
        String[] keyAndId = lines.get(6).trim().split(" +", 2);
        Commands.succeeds(List.of("ipcrm", "-m", keyAndId[1]));
      }
    } catch (IOException e) {
      throw new DevStackException("cannot read " + pidFile, e);
    }
  }
}
