package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.port.PublishStream;
import io.millrace.port.Publisher;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One producer of a node. Records in flight never expire: while the brokers are away, batches stay
 * unanswered, and are acknowledged in order when a broker is back. A failure of kind
 * UNKNOWN_OUTCOME asks for {@link #discard}.
 *
 * <p>All streams are opened and used on one event loop, that of the first one. What may block is on
 * a thread of its own, {@code millrace-kafka-send}.
 */
public final class KafkaPublisher implements Publisher {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaPublisher.class);
  private static final String NO_COMPRESSION = "none";
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final SendThread sendThread;
  private final TopicDirectory directory;
  private final TopicHealth health;
  private final SizeCheck check;

  private volatile @Nullable Home home;
  private @Nullable ProducerSession session;
  private @Nullable Future<Void> discarding;
  private volatile @Nullable Future<Void> closing;

  /** Where the state lives. */
  private record Home(Context context, Thread thread) {}

  private KafkaPublisher(
      SendThread sendThread, TopicDirectory directory, TopicHealth health, SizeCheck check) {
    this.check = check;
    this.sendThread = sendThread;
    this.directory = directory;
    this.health = health;
  }

  /**
   * Makes the clients; they connect by themselves, now or later. Blocks while names are resolved
   * and key stores are read: not for an event loop.
   *
   * @throws IllegalArgumentException when a property must not be changed
   * @throws KafkaException when a property is wrong, or no bootstrap server has an address
   */
  public static KafkaPublisher create(Vertx vertx, KafkaSettings settings) {
    Map<String, String> properties = ClientProperties.producer(settings);
    Admin admin = Admin.create(ClientProperties.admin(settings));
    try {
      RecordEncoder encoder = new RecordEncoder(settings.source());
      SendThread sendThread = new SendThread(vertx, properties, encoder);
      TopicDirectory directory = new TopicDirectory(vertx, admin);
      String compression =
          properties.getOrDefault(ProducerConfig.COMPRESSION_TYPE_CONFIG, NO_COMPRESSION);
      return new KafkaPublisher(
          sendThread,
          directory,
          new TopicHealth(vertx, admin, directory),
          new SizeCheck(directory, encoder, !compression.equals(NO_COMPRESSION)));
    } catch (RuntimeException e) {
      admin.close(Duration.ZERO);
      throw e;
    }
  }

  /**
   * Opens a stream on the current producer.
   *
   * @throws IllegalStateException when the caller is not on the event loop of the first stream
   */
  @Override
  public PublishStream open(BooleanSupplier mayHandOver) {
    Home known = home();
    if (Thread.currentThread() != known.thread()) {
      throw new IllegalStateException(
          "a publisher belongs to the event loop of its first stream, %s; called on %s"
              .formatted(known.thread().getName(), Thread.currentThread().getName()));
    }
    ProducerSession current = session == null ? newSession(known.context()) : session;
    session = current;
    return new KafkaPublishStream(known.context(), current, check, mayHandOver);
  }

  private Home home() {
    Home known = home;
    if (known == null) {
      Context context = Vertx.currentContext();
      if (context == null || !context.isEventLoopContext()) {
        throw new IllegalStateException("a stream must be opened on an event loop");
      }
      known = new Home(context, Thread.currentThread());
      home = known;
    }
    return known;
  }

  private ProducerSession newSession(Context context) {
    ProducerSession fresh =
        new ProducerSession(
            context,
            sendThread,
            directory,
            () ->
                discard().onFailure(failure -> LOG.error("Kafka producer not discarded", failure)));
    if (closing != null) {
      fresh.end(closed());
    }
    return fresh;
  }

  @Override
  public Future<Map<String, Ailment>> ailing(List<String> topics) {
    Home known = home;
    return known == null
        ? Future.succeededFuture(Map.of())
        : at(known, here -> health.ailing(topics));
  }

  @Override
  public Future<Void> probe(String topic) {
    Home known = home;
    return known == null
        ? Future.failedFuture(new IllegalStateException("no stream has been opened"))
        : at(
            known,
            here ->
                directory
                    .facts(List.of(topic))
                    .compose(facts -> Future.join(List.copyOf(facts.values())))
                    .mapEmpty());
  }

  /**
   * A call while another discard is under way joins it: many shards find out at once that a
   * producer is of no use. May be called on any thread.
   */
  @Override
  public Future<Void> discard() {
    Home known = home;
    // Without a home nothing has been handed over yet.
    return known == null ? Future.succeededFuture() : at(known, this::discardAtHome);
  }

  private Future<Void> discardAtHome(Home known) {
    if (discarding != null) {
      return discarding;
    }
    ProducerSession old = session;
    if (closing != null || old == null) {
      return Future.succeededFuture();
    }
    old.end(new Failure(FailureKind.TRANSIENT, "the producer has been discarded", null));
    session = newSession(known.context());
    Future<Void> discarded = finish(known, old, sendThread.closeProducer(Duration.ZERO));
    discarding = discarded;
    return discarded.onComplete(
        done -> {
          discarding = null;
        });
  }

  /** Completes behind the outcomes of everything that the session had in flight. */
  private Future<Void> finish(Home known, ProducerSession old, Future<Void> producerClosed) {
    Promise<Void> promise = Promise.promise();
    producerClosed.onComplete(
        result -> {
          if (result.failed()) {
            LOG.warn("The Kafka producer was not closed cleanly", result.cause());
          }
          old.abandon(new KafkaException("the producer was closed before it had an answer"));
          directory.forgetAll();
          known.context().runOnContext(reported -> promise.complete());
        });
    return promise.future();
  }

  /**
   * Hands nothing more over, waits up to 5 s for what is in flight, and refuses the rest as
   * unknown. May be called on any thread, and repeatedly. A verticle calls it before it is
   * undeployed: Vert.x itself would then close the producer too, and wait for its answers without a
   * limit.
   */
  @Override
  public Future<Void> close() {
    Home known = home;
    return known == null ? closeUnused() : at(known, this::closeAtHome);
  }

  private Future<Void> closeUnused() {
    Future<Void> close = closing;
    if (close == null) {
      close = sendThread.closeProducer(Duration.ZERO).eventually(this::closeThread);
      closing = close;
    }
    return close;
  }

  private Future<Void> closeAtHome(Home known) {
    Future<Void> close = closing;
    if (close == null) {
      ProducerSession old = session == null ? newSession(known.context()) : session;
      session = old;
      old.end(closed());
      close =
          finish(known, old, sendThread.closeProducer(CLOSE_MAX)).compose(done -> closeThread());
      closing = close;
    }
    return close;
  }

  private Future<Void> closeThread() {
    return sendThread
        .execute(
            () -> {
              directory.close();
              return null;
            })
        .eventually(sendThread::close);
  }

  private static Failure closed() {
    return new Failure(FailureKind.TRANSIENT, "the publisher is closed", null);
  }

  private static <T> Future<T> at(Home home, Function<Home, Future<T>> task) {
    if (Thread.currentThread() == home.thread()) {
      return task.apply(home);
    }
    Promise<T> promise = Promise.promise();
    home.context().runOnContext(arrived -> task.apply(home).onComplete(promise));
    return promise.future();
  }
}
