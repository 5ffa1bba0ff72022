package io.millrace.core.cursor;

/**
 * One kind of run. The bounds of a pass are small, so that cuts and sweeps happen all the time.
 *
 * @param restartChance of every step of a relay, 0 to 1
 * @param refusalChance of every batch, 0 to 1
 */
record SimSettings(
    int steps,
    int rowsMax,
    long bytesMax,
    long idsMax,
    double restartChance,
    double refusalChance,
    Flaw flaw) {

  static SimSettings calm(Flaw flaw) {
    return new SimSettings(3_000, 6, 150, 12, 0, 0, flaw);
  }

  static SimSettings rough(Flaw flaw) {
    return new SimSettings(3_000, 6, 150, 12, 0.01, 0.1, flaw);
  }

  /** Wide bounds: hardly a sweep, so that late rows come with new ones. */
  static SimSettings wide(Flaw flaw) {
    return new SimSettings(3_000, 40, 2_000, 400, 0.005, 0.05, flaw);
  }
}
