package io.millrace.bench.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Lines over time as an SVG picture. */
final class Plot {
  private static final int WIDTH = 800;
  private static final int HEIGHT = 320;
  private static final int LEFT = 80;
  private static final int TOP = 36;
  private static final int BOTTOM = 40;
  private static final int RIGHT = 180;
  private static final int LINES = 4;
  private static final List<String> COLOURS =
      List.of("#0b6e99", "#c8501e", "#4f7a28", "#8a3fa0", "#a08000", "#555555");

  private final String title;
  private final String unit;
  private final Map<String, List<Point>> lines = new LinkedHashMap<>();

  /** A span of time that is shaded. */
  private double shadeFrom;

  private double shadeTo;

  record Point(double seconds, double value) {}

  Plot(String title, String unit) {
    this.title = title;
    this.unit = unit;
  }

  void add(String line, double seconds, double value) {
    lines.computeIfAbsent(line, name -> new ArrayList<>()).add(new Point(seconds, value));
  }

  void shade(double from, double to) {
    shadeFrom = from;
    shadeTo = to;
  }

  String svg() {
    double seconds = most(true);
    double value = most(false);
    StringBuilder svg =
        new StringBuilder(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
            <rect width="%1$d" height="%2$d" fill="#ffffff"/>
            <text x="%3$d" y="20" font-size="14">%4$s</text>
            """
                .formatted(WIDTH, HEIGHT, LEFT, escaped(title)));
    if (shadeTo > shadeFrom) {
      svg.append(
          format(
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#eeeeee\"/>\n",
              x(shadeFrom, seconds),
              TOP,
              x(shadeTo, seconds) - x(shadeFrom, seconds),
              HEIGHT - TOP - BOTTOM));
    }
    axes(svg, seconds, value);
    int number = 0;
    for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
      line(svg, line, number++, seconds, value);
    }
    return svg.append("</svg>\n").toString();
  }

  private double most(boolean ofTime) {
    return Math.max(
        1e-9,
        lines.values().stream()
            .flatMap(List::stream)
            .mapToDouble(point -> ofTime ? point.seconds : point.value)
            .max()
            .orElse(1));
  }

  private static void line(
      StringBuilder svg,
      Map.Entry<String, List<Point>> line,
      int number,
      double seconds,
      double value) {
    String colour = COLOURS.get(number % COLOURS.size());
    StringBuilder points = new StringBuilder();
    for (Point point : line.getValue()) {
      points.append(format("%.1f,%.1f ", x(point.seconds, seconds), y(point.value, value)));
    }
    svg.append(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>\n"
            .formatted(colour, points.toString().trim()));
    svg.append(
        "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n"
            .formatted(WIDTH - RIGHT + 10, TOP + 14 + 18 * number, colour, escaped(line.getKey())));
  }

  private void axes(StringBuilder svg, double seconds, double value) {
    for (int i = 0; i <= LINES; i++) {
      double at = value * i / LINES;
      svg.append(
          format(
              "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#cccccc\"/>\n",
              LEFT, y(at, value), WIDTH - RIGHT, y(at, value)));
      svg.append(
          format(
              "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
              LEFT - 6, y(at, value) + 4, number(at)));
      double when = seconds * i / LINES;
      svg.append(
          format(
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f s</text>\n",
              x(when, seconds), HEIGHT - BOTTOM + 18, when));
    }
    svg.append("<text x=\"6\" y=\"%d\">%s</text>\n".formatted(TOP - 4, escaped(unit)));
  }

  private static String number(double value) {
    return value >= 10 ? format("%,.0f", value) : format("%.2f", value);
  }

  private static double x(double seconds, double most) {
    return LEFT + seconds / most * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double value, double most) {
    return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
  }

  private static String format(String form, Object... values) {
    return String.format(Locale.ROOT, form, values);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
