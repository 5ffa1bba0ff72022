package io.millrace.core.cursor;

/**
 * How much one pass may read.
 *
 * @param rowsMax rows, at least 1
 * @param bytesMax payload, key and header bytes, at least 1; the row that crosses the bound is
 *     still read
 * @param idsMax ids scanned in the late range and in the new one, each, at least 1
 */
public record ReadBounds(int rowsMax, long bytesMax, long idsMax) {
  public ReadBounds {
    if (rowsMax < 1 || bytesMax < 1 || idsMax < 1) {
      throw new IllegalArgumentException(
          "a pass needs at least one row, byte and id, found "
              + rowsMax
              + ", "
              + bytesMax
              + ", "
              + idsMax);
    }
  }
}
