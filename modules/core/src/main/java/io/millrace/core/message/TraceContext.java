package io.millrace.core.message;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Rules for the headers in which a message carries the trace it belongs to, as a rule those of W3C
 * Trace Context (source: W3C Recommendation "Trace Context", level 1). They decide what a header
 * may cost: never a refusal, and never a byte of a record that was not there before.
 */
public final class TraceContext {
  public static final String PARENT = "traceparent";
  public static final String STATE = "tracestate";

  private static final Comparator<Header> W3C_FIRST = Comparator.comparingInt(TraceContext::rank);

  private TraceContext() {}

  private static int rank(Header header) {
    return isNamed(header, PARENT) ? 0 : isNamed(header, STATE) ? 1 : 2;
  }

  /**
   * Whether a tracer may read these headers: a {@code traceparent} that is there twice names no
   * parent.
   */
  public static boolean isReadable(List<Header> headers) {
    return !headers.isEmpty() && count(headers, PARENT) < 2;
  }

  /**
   * The headers of a new message with its trace behind them. Those of a sender who has set any of
   * them himself stay as they are, and what would break a limit of {@link MessageRules} is left
   * out: the trace is worth less than the message.
   *
   * @param own within the limits
   * @param trace as a tracer gave them
   */
  public static List<Header> added(List<Header> own, List<Header> trace) {
    if (trace.stream().anyMatch(header -> count(own, header.name()) > 0)) {
      return own;
    }
    List<Header> added = new ArrayList<>(own);
    for (Header header : trace.stream().sorted(W3C_FIRST).toList()) {
      added.add(header);
      if (!MessageRules.allowsHeaders(added)) {
        added.remove(added.size() - 1);
        break; // a state without its parent means nothing
      }
    }
    return added;
  }

  /**
   * The headers of a stored message for its record, where the trace goes on from another span. Only
   * values of headers that it has, once, are replaced, by ones that are no longer: a record that
   * the broker takes without a tracer must not be too large with one.
   *
   * @param own as stored
   * @param trace as a tracer gave them
   */
  public static List<Header> replaced(List<Header> own, List<Header> trace) {
    List<Header> replaced = new ArrayList<>(own);
    boolean hasNewParent = false;
    for (Header header : trace) {
      boolean isReplaced = replace(replaced, header);
      hasNewParent |= isReplaced && isNamed(header, PARENT);
    }
    if (hasNewParent && count(trace, STATE) == 0) {
      // The tracer could not read it: it belongs to a parent that is not named any more.
      replaced.removeIf(header -> isNamed(header, STATE));
    }
    return replaced;
  }

  private static boolean replace(List<Header> headers, Header by) {
    if (count(headers, by.name()) != 1) {
      return false;
    }
    for (int i = 0; i < headers.size(); i++) {
      Header old = headers.get(i);
      if (isNamed(old, by.name())) {
        boolean fits = by.value().length() <= old.value().length();
        headers.set(i, fits ? new Header(old.name(), by.value()) : old);
        return fits;
      }
    }
    return false;
  }

  private static long count(List<Header> headers, String name) {
    return headers.stream().filter(header -> isNamed(header, name)).count();
  }

  /** Tracers read names without regard to case. */
  private static boolean isNamed(Header header, String name) {
    return header.name().equalsIgnoreCase(name);
  }
}
