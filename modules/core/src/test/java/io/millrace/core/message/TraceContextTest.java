package io.millrace.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceContextTest {
  private static final Header PARENT =
      new Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  private static final Header CHILD =
      new Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01");
  private static final Header STATE = new Header("tracestate", "vendor=1");
  private static final Header BAGGAGE = new Header("baggage", "user=7");
  private static final Header OWN = new Header("kind", "a");

  @Test
  void a_new_message_carries_its_trace_behind_its_own_headers_the_parent_first() {
    assertThat(TraceContext.added(List.of(OWN), List.of(BAGGAGE, STATE, PARENT)))
        .containsExactly(OWN, PARENT, STATE, BAGGAGE);
  }

  @Test
  void a_trace_that_the_sender_has_set_stays_as_it_is() {
    List<Header> own = List.of(new Header("TraceParent", "mine"));

    assertThat(TraceContext.added(own, List.of(PARENT, STATE))).isEqualTo(own);
  }

  @Test
  void what_would_break_a_limit_is_left_out_and_what_comes_after_it_too() {
    List<Header> full = Collections.nCopies(MessageRules.HEADERS_MAX, OWN);
    List<Header> nearlyFull = Collections.nCopies(MessageRules.HEADERS_MAX - 1, OWN);
    Header long_ = new Header("x", "x".repeat(MessageRules.HEADERS_CHARS_MAX - 50));

    assertThat(TraceContext.added(full, List.of(PARENT))).isEqualTo(full);
    assertThat(TraceContext.added(nearlyFull, List.of(STATE, PARENT)))
        .hasSize(MessageRules.HEADERS_MAX)
        .endsWith(PARENT);
    assertThat(TraceContext.added(List.of(long_), List.of(PARENT, STATE))).containsExactly(long_);
  }

  @Test
  void what_a_tracer_may_not_write_is_left_out() {
    assertThat(TraceContext.added(List.of(), List.of(new Header("ce_id", "x")))).isEmpty();
    assertThat(TraceContext.added(List.of(), List.of(PARENT, new Header("tracestate", "a\0"))))
        .containsExactly(PARENT);
  }

  @Test
  void a_record_names_the_new_parent_where_the_message_named_its_own() {
    assertThat(
            TraceContext.replaced(List.of(OWN, PARENT, STATE, OWN), List.of(CHILD, STATE, BAGGAGE)))
        .containsExactly(OWN, CHILD, STATE, OWN);
  }

  @Test
  void a_record_never_grows_by_its_trace() {
    Header longer = new Header("tracestate", STATE.value() + ",other=2");

    assertThat(TraceContext.replaced(List.of(PARENT, STATE), List.of(CHILD, longer)))
        .containsExactly(CHILD, STATE);
    assertThat(TraceContext.replaced(List.of(PARENT), List.of(CHILD, STATE)))
        .containsExactly(CHILD);
  }

  @Test
  void a_state_that_the_tracer_could_not_read_goes_with_the_parent_it_belonged_to() {
    assertThat(
            TraceContext.replaced(List.of(PARENT, new Header("tracestate", "??")), List.of(CHILD)))
        .containsExactly(CHILD);
    assertThat(TraceContext.replaced(List.of(PARENT, STATE), List.of()))
        .containsExactly(PARENT, STATE);
  }

  @Test
  void two_parents_are_none() {
    assertThat(TraceContext.isReadable(List.of(PARENT, OWN))).isTrue();
    assertThat(TraceContext.isReadable(List.of(PARENT, CHILD))).isFalse();
    assertThat(TraceContext.isReadable(List.of())).isFalse();
    assertThat(TraceContext.replaced(List.of(PARENT, CHILD), List.of(CHILD)))
        .containsExactly(PARENT, CHILD);
  }
}
