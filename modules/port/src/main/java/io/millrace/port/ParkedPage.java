package io.millrace.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some parked messages, by position.
 *
 * @param next behind which position the next page begins; null: this was the last. A page may be
 *     short, or empty, and still have one
 */
public record ParkedPage(List<ParkedMessage> messages, @Nullable Long next) {
  public ParkedPage {
    messages = List.copyOf(messages);
  }
}
