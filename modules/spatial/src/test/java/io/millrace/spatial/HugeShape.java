package io.millrace.spatial;

/** A multipolygon of many small squares around 10 east, 50 north. */
final class HugeShape {
  private HugeShape() {}

  /**
   * @param vertices about; each square has five
   */
  static String ofVertices(int vertices) {
    int side = (int) Math.ceil(Math.sqrt(vertices / 5.0));
    return ("(select ST_Collect(ST_MakeEnvelope(10 + x * 0.001, 50 + y * 0.001, 10.0005 + x * 0.001,"
            + " 50.0005 + y * 0.001, 4326)) from generate_series(0, %1$d - 1) x, generate_series(0, %1$d - 1) y)")
        .formatted(side);
  }
}
