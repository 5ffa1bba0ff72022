package io.millrace.postgres;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the ring to the indexes that every slot must have, while it is in use. Each is made on the
 * outbox alone, built concurrently slot by slot, and attached; the last slot makes it valid. What
 * an interrupted run has left is found and built anew; what is not declared any more goes.
 *
 * <p>Maintenance goes on meanwhile: a slot that it attaches gets the index with its attachment, one
 * that goes is passed over, and one that is being built is not truncated until the next round.
 * Blocking, for a direct connection.
 */
final class SlotIndexes {
  /** More than slots can be attached in the meantime: the ring has at most 32. */
  private static final int ROUNDS_MAX = 8;

  private static final Logger LOG = LoggerFactory.getLogger(SlotIndexes.class);

  private final List<SlotIndex> declared;

  SlotIndexes(List<SlotIndex> declared) {
    this.declared = List.copyOf(declared);
  }

  /**
   * What was done.
   *
   * @param built indexes of slots
   * @param repaired invalid leftovers
   * @param dropped indexes that are not declared any more, whole
   */
  record Changes(int built, int repaired, int dropped) {
    int count() {
      return built + repaired + dropped;
    }
  }

  /**
   * Changes what has to be changed.
   *
   * @throws MigrationException when a lock could not be had, or an index of the same name has
   *     another definition
   */
  Changes bring(MigrationSession session) throws SQLException {
    int repaired = repair(session);
    int built = 0;
    for (SlotIndex index : declared) {
      requireParent(session, index);
      built += complete(session, index);
    }
    return new Changes(built, repaired, drop(session));
  }

  private record Leftover(String slot, String index, String repair) {}

  private static int repair(MigrationSession session) throws SQLException {
    List<Leftover> leftovers =
        session.query(
            SlotIndexText.LEFTOVERS,
            row -> new Leftover(row.getString(1), row.getString(2), row.getString(3)));
    for (Leftover leftover : leftovers) {
      LOG.warn(
          "{} has the invalid index {}, left by interrupted work", leftover.slot, leftover.index);
      ifStillThere(session, leftover.slot, () -> session.executeConcurrently(leftover.repair));
    }
    return leftovers.size();
  }

  private record Parent(
      @Nullable Boolean isAsDeclared, boolean isValid, boolean isNoted, String make, String note) {}

  private static Parent parent(MigrationSession session, SlotIndex index) throws SQLException {
    return session
        .query(
            SlotIndexText.PARENT,
            row ->
                new Parent(
                    row.getObject(1, Boolean.class),
                    row.getBoolean(2),
                    row.getBoolean(3),
                    row.getString(4),
                    row.getString(5)),
            index.name(),
            index.definition())
        .get(0);
  }

  private static void requireParent(MigrationSession session, SlotIndex index) throws SQLException {
    Parent parent = parent(session, index);
    if (parent.isAsDeclared == null) {
      session.executeShortly(parent.make);
    } else if (!parent.isAsDeclared) {
      throw new MigrationException(
          "there is an index outbox_"
              + index.name()
              + " that is not \""
              + index.definition()
              + "\"");
    }
    // By the note it is known as Millrace's when no version names it any more.
    if (!parent.isNoted) {
      session.executeShortly(parent.note);
    }
  }

  private record Missing(String slot, @Nullable String build, String attach) {}

  private static int complete(MigrationSession session, SlotIndex index) throws SQLException {
    int built = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
      List<Missing> missing =
          session.query(
              SlotIndexText.MISSING,
              row -> new Missing(row.getString(1), row.getString(2), row.getString(3)),
              index.name(),
              index.definition());
      if (missing.isEmpty()) {
        break;
      }
      for (Missing one : missing) {
        built += ifStillThere(session, one.slot, () -> build(session, one)) ? 1 : 0;
      }
    }
    if (!parent(session, index).isValid) {
      LOG.warn(
          "outbox_{} is not valid yet: a slot went while it was built. Slots use theirs",
          index.name());
    }
    return built;
  }

  private static void build(MigrationSession session, Missing missing) throws SQLException {
    if (missing.build != null) {
      session.executeConcurrently(missing.build);
    }
    session.executeShortly(missing.attach);
  }

  private record Undeclared(String index, boolean isParent, String drop) {}

  private int drop(MigrationSession session) throws SQLException {
    int dropped = 0;
    String[] names = declared.stream().map(SlotIndex::name).toArray(String[]::new);
    for (Undeclared gone :
        session.query(
            SlotIndexText.UNDECLARED,
            row -> new Undeclared(row.getString(1), row.getBoolean(2), row.getString(3)),
            (Object) names)) {
      if (gone.isParent) {
        // Locks the outbox and every slot: all of them within the limit of one statement.
        session.executeShortly(gone.drop);
        dropped++;
      } else {
        session.executeConcurrently(gone.drop);
      }
    }
    return dropped;
  }

  private interface Work {
    void run() throws SQLException;
  }

  /** Whether it was done: false, when the slot has gone meanwhile. */
  private static boolean ifStillThere(MigrationSession session, String slot, Work work)
      throws SQLException {
    try {
      work.run();
      return true;
    } catch (SQLException e) {
      if (isConnectionLost(e) || session.isTrue(SlotIndexText.IS_ATTACHED, slot)) {
        throw e;
      }
      LOG.info("{} has gone meanwhile: {}", slot, e.getMessage());
      return false;
    }
  }

  /** PostgreSQL, appendix A: class 08, and 57P01 to 57P05. */
  private static boolean isConnectionLost(SQLException e) {
    String state = e.getSQLState();
    return state == null || state.startsWith("08") || state.startsWith("57P");
  }
}
