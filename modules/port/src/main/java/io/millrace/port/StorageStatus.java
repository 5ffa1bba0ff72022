package io.millrace.port;

import java.util.List;

/**
 * What Millrace's tables take, and how old their transaction ids are.
 *
 * @param databaseAge how many transactions the oldest unfrozen id of the database is behind, 0 to
 *     about 2,147,000,000; PostgreSQL refuses to give new ids 3,000,000 before the end
 * @param parts each kind of table
 */
public record StorageStatus(long databaseAge, List<Part> parts) {
  public StorageStatus {
    parts = List.copyOf(parts);
  }

  /**
   * Tables of one kind.
   *
   * @param name {@code outbox}, {@code receipt}, {@code progress}, {@code inbox}, {@code effect},
   *     {@code parked} or {@code other}
   * @param bytes with indexes and large values
   * @param age how many transactions their oldest unfrozen id is behind
   */
  public record Part(String name, long bytes, long age) {}
}
