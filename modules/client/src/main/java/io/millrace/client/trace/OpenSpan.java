package io.millrace.client.trace;

import io.millrace.core.message.Header;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A span that has begun, or none at all. Ends once; later ends do nothing. */
public final class OpenSpan {
  /** Where nothing is traced. */
  public static final OpenSpan NONE = new OpenSpan(List.of(), null);

  private final List<Header> headers;
  private @Nullable Consumer<@Nullable Throwable> end;

  private OpenSpan(List<Header> headers, @Nullable Consumer<@Nullable Throwable> end) {
    this.headers = List.copyOf(headers);
    this.end = end;
  }

  static OpenSpan of(List<Header> headers, Consumer<@Nullable Throwable> end) {
    return new OpenSpan(headers, end);
  }

  /** Whether there is one. */
  public boolean isOpen() {
    return end != null;
  }

  /** With which a message carries it on; empty unless the span sends. */
  public List<Header> headers() {
    return headers;
  }

  /**
   * Ends it.
   *
   * @param failure what came of it; null: it went well
   */
  public void end(@Nullable Throwable failure) {
    Consumer<@Nullable Throwable> ending = end;
    end = null;
    if (ending != null) {
      ending.accept(failure);
    }
  }
}
