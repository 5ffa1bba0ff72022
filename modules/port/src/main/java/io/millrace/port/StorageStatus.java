package io.millrace.port;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What Millrace's tables take, and how old their transaction ids are.
 *
 * @param databaseAge how many transactions the oldest unfrozen id of the database is behind, 0 to
 *     about 2,147,000,000; PostgreSQL refuses to give new ids 3,000,000 before the end
 * @param tables each of Millrace's, by name
 */
public record StorageStatus(long databaseAge, List<Table> tables) {
  public StorageStatus {
    tables = List.copyOf(tables);
  }

  /**
   * One table with all its slots, lists or buckets.
   *
   * @param name {@code outbox}, {@code receipt} and so on
   * @param bytes with indexes and large values
   * @param age how many transactions its oldest unfrozen id is behind
   * @param deadRows as the statistics collector knows them
   * @param lastVacuumAt the newest of any part of it; null: never, or the statistics were reset
   */
  public record Table(
      String name, long bytes, long age, long deadRows, @Nullable Instant lastVacuumAt) {}
}
