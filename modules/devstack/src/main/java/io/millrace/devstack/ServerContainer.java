package io.millrace.devstack;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.DockerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.OutputFrame;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container of Docker's. It keeps its data over kill and restart, and loses it when
 * it is closed; what this JVM leaves behind when it dies Testcontainers removes.
 *
 * <p>Blocking and thread-safe, one operation at a time.
 */
final class ServerContainer implements ServerControl {
  private static final Logger LOG = LoggerFactory.getLogger(ServerContainer.class);

  private final String name;
  private final Path log;
  private final GenericContainer<?> container;
  private @Nullable InspectContainerResponse lastSeen;

  /**
   * @param log receives the output of the server, all starts in one file; deleted with its
   *     directory, in which nothing else is, when the container is closed
   */
  ServerContainer(String name, ContainerSpec spec, Path log) {
    this.name = name;
    this.log = log;
    this.container = container(spec);
  }

  private GenericContainer<?> container(ContainerSpec spec) {
    GenericContainer<?> made =
        new GenericContainer<>(DockerImageName.parse(spec.image()))
            .withNetworkMode("host")
            .withEnv(spec.environment())
            .withLogConsumer(this::note)
            .waitingFor(new NoWait());
    return spec.command().isEmpty()
        ? made
        : made.withCommand(spec.command().toArray(String[]::new));
  }

  /** Whether it answers is the server's own question, asked in the same way as of a process. */
  private static final class NoWait extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {}
  }

  private void note(OutputFrame frame) {
    try {
      Files.writeString(
          log,
          frame.getUtf8String(),
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      LOG.debug("{}: a line of its log is lost", name, e);
    }
  }

  @Override
  public synchronized void start(BooleanSupplier ready) {
    try {
      if (container.getContainerId() == null) {
        container.start();
      } else {
        docker().startContainerCmd(container.getContainerId()).exec();
      }
    } catch (DockerException | ContainerLaunchException e) {
      throw new DevStackException(name + " did not start in a container", e);
    }
    boolean[] answers = new boolean[1];
    Await.until(
        ServerProcess.START_LIMIT,
        () -> {
          answers[0] = isRunning() && ready.getAsBoolean();
          return answers[0] || !isRunning();
        });
    if (!answers[0]) {
      throw new DevStackException(
          "%s in a container %s; the end of its log:%n%s".formatted(name, ended(), logTail()));
    }
    LOG.info("{} started in a container, process id {}", name, pid());
  }

  private String ended() {
    InspectContainerResponse seen = docker().inspectContainerCmd(container.getContainerId()).exec();
    return Boolean.TRUE.equals(seen.getState().getRunning())
        ? "does not answer after %d s".formatted(ServerProcess.START_LIMIT.toSeconds())
        : "exited with status %d".formatted(seen.getState().getExitCodeLong());
  }

  /** As Docker has it: what is copied to the file may still be on its way. */
  private String logTail() {
    String whole = container.getLogs();
    return whole.substring(Math.max(0, whole.length() - ServerProcess.LOG_TAIL_CHARS));
  }

  private DockerClient docker() {
    return container.getDockerClient();
  }

  @Override
  public synchronized long pid() {
    InspectContainerResponse seen = lastSeen;
    Long pid = seen == null ? null : seen.getState().getPidLong();
    if (pid == null) {
      throw new DevStackException(name + " was never started");
    }
    return pid;
  }

  @Override
  public synchronized boolean wasStarted() {
    return container.getContainerId() != null;
  }

  /** What is lasting is a process in any case. */
  @Override
  public boolean isTemporary() {
    return true;
  }

  @Override
  public synchronized boolean isRunning() {
    String id = container.getContainerId();
    if (id == null) {
      return false;
    }
    InspectContainerResponse seen = docker().inspectContainerCmd(id).exec();
    boolean isRunning = Boolean.TRUE.equals(seen.getState().getRunning());
    if (isRunning) {
      lastSeen = seen;
    }
    return isRunning;
  }

  @Override
  public synchronized void kill() {
    if (isRunning()) {
      docker().killContainerCmd(container.getContainerId()).exec();
      awaitEnd("SIGKILL");
    }
  }

  @Override
  public synchronized void stop(List<String> signals) {
    for (String signal : signals) {
      if (!isRunning()) {
        return;
      }
      docker().killContainerCmd(container.getContainerId()).withSignal(signal).exec();
      Await.until(ServerProcess.STOP_LIMIT, () -> !isRunning());
    }
    kill();
  }

  private void awaitEnd(String cause) {
    if (!Await.until(ServerProcess.SIGNAL_LIMIT, () -> !isRunning())) {
      throw new DevStackException(
          "%s runs %d s after %s".formatted(name, ServerProcess.SIGNAL_LIMIT.toSeconds(), cause));
    }
  }

  @Override
  public synchronized void pause() {
    docker().pauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public synchronized void resume() {
    docker().unpauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public synchronized void close() {
    container.stop();
    try {
      Files.deleteIfExists(log);
      Files.deleteIfExists(log.getParent());
    } catch (IOException e) {
      LOG.debug("{}: {} is left behind", name, log, e);
    }
  }
}
