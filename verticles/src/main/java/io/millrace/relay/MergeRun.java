package io.millrace.relay;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Merge;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.millrace.core.parking.Sift;
import io.millrace.port.OutboxStore.Asked;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lane on its way back into the main lane.
 *
 * <pre>
 *   HOLDING --(both lanes quiet)--> READING --(it fits)--> PUBLISHING --(receipt)--> over
 *   any --(a lane fails, a sweep is open, it does not fit)--> over: both go on by themselves
 * </pre>
 *
 * <p>Both lanes read nothing new meanwhile; {@link Merge} says why.
 */
final class MergeRun {
  private static final Logger LOG = LoggerFactory.getLogger(MergeRun.class);

  private enum Step {
    HOLDING,
    READING,
    PUBLISHING,
    OVER
  }

  private final ShardRelay shard;
  private final LaneRelay main;
  private final LaneRelay lane;
  private final ShardContext context;
  private Step step = Step.HOLDING;

  /** The two answers, in one snapshot. */
  private record Found(Merge merge, ReadResult main, Screening.Screened screened) {}

  MergeRun(ShardRelay shard, LaneRelay main, LaneRelay lane, ShardContext context) {
    this.shard = shard;
    this.main = main;
    this.lane = lane;
    this.context = context;
    main.hold();
    lane.hold();
  }

  boolean concerns(LaneRelay other) {
    return other == main || other == lane;
  }

  /** Goes on if both lanes have become quiet. */
  void advance() {
    if (step != Step.HOLDING || !main.isQuiet() || !lane.isQuiet()) {
      return;
    }
    if (main.cursor().sweep() != null || lane.cursor().sweep() != null) {
      giveUp();
      return;
    }
    long reserved = 2 * context.config().batchBytesMax();
    // Without waiting for room: the main lane stands still meanwhile.
    context.shared().bytes().reserve(reserved);
    step = Step.READING;
    RelayBounds bounds = new RelayBounds(main.cursor(), lane.cursor(), context);
    context
        .ports()
        .outbox()
        .readBoth(
            shard.shard(),
            List.of(
                new Asked(shard.scope(main), bounds.mainRead()),
                new Asked(Scope.lane(lane.name()), bounds.laneRead())),
            bounds.bounds())
        .compose(both -> fit(both, bounds))
        .onComplete(
            found -> {
              onFound(found);
              context.shared().bytes().unreserve(reserved);
            });
  }

  private void onFound(AsyncResult<Found> found) {
    if (step != Step.READING) {
      return;
    }
    if (found.failed()) {
      LOG.debug("{} does not merge: {}", lane.title(), found.cause().getMessage());
      giveUp();
    } else {
      publish(found.result());
    }
  }

  /** What both sides ask for, from cursors that stand still. */
  private record RelayBounds(Cursor main, Cursor lane, ShardContext context) {
    ReadBounds bounds() {
      return new ReadBounds(
          context.config().batchRowsMax(),
          context.config().batchBytesMax(),
          context.config().idsScannedMax());
    }

    Read mainRead() {
      return main.nextRead(bounds());
    }

    Read laneRead() {
      return lane.nextRead(bounds());
    }
  }

  private Future<Found> fit(List<ReadResult> both, RelayBounds bounds) {
    for (ReadResult result : both) {
      if (!result.incarnation().isSameAs(shard.incarnation())) {
        return Future.failedFuture(Reading.otherLife());
      }
    }
    return Merge.of(
            new Merge.Side(bounds.main(), both.get(0)),
            new Merge.Side(bounds.lane(), both.get(1)),
            bounds.bounds())
        .map(merge -> screen(merge, both.get(0)))
        .orElseGet(() -> Future.failedFuture(new DoesNotFit()));
  }

  private Future<Found> screen(Merge merge, ReadResult mainResult) {
    return context
        .shared()
        .screening()
        .screen(shard.shard(), shard.hasBlocked(), merge.messages())
        .map(screened -> new Found(merge, mainResult, screened));
  }

  private void publish(Found found) {
    if (!main.isQuiet() || !lane.isQuiet()) {
      giveUp();
      return;
    }
    step = Step.PUBLISHING;
    Screening.Screened screened = found.screened();
    Sift sift = Sift.of(screened.messages(), screened.blocked(), screened.hopeless());
    if (!sift.park().isEmpty()) {
      shard.noteBlocked();
    }
    main.publish(
        found.merge(),
        new Batch(found.merge(), found.main().sequence(), sift, lane.name(), main.laneVersion()));
  }

  /** Ends it before its batch is on its way. What is published then is recorded, or it fails. */
  void giveUpUnlessPublishing() {
    if (step != Step.PUBLISHING) {
      giveUp();
    }
  }

  /** Both lanes go on by themselves; also the end of a merge that is done. */
  void giveUp() {
    if (step == Step.OVER) {
      return;
    }
    step = Step.OVER;
    shard.mergeIsOver();
    main.release();
    lane.release();
  }

  /** Not a failure: the lane has to come nearer first. */
  private static final class DoesNotFit extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DoesNotFit() {
      super("what is left does not fit one batch", null, false, false);
    }
  }
}
