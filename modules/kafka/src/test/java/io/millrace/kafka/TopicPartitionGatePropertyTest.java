package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

class TopicPartitionGatePropertyTest {
  private static final long WARM_NANOS_MAX = 50;

  private enum Step {
    ADD,
    TAKE,
    ACKNOWLEDGE,
    FAIL,
    RETURN,
    PUT_BACK,
    WAIT
  }

  @Property(tries = 2_000)
  void whatever_happens_order_is_kept_and_an_unproven_topic_partition_has_one_record_in_flight(
      @ForAll @Size(min = 20, max = 300) List<Step> steps) {
    Model model = new Model();
    steps.forEach(model::apply);
    model.finish();
  }

  /** Says again, in the words of the rule and not of the states, when a record may go. */
  private static final class Model {
    private final TopicPartitionGate<Integer> gate = new TopicPartitionGate<>(WARM_NANOS_MAX);
    private long now = Long.MAX_VALUE - 500; // nanoTime may overflow
    private int added;
    private int taken;
    private int inFlight;
    private boolean isProven;
    private boolean isLoneInFlight;
    private long acknowledgedAt;

    void apply(Step step) {
      switch (step) {
        case ADD -> gate.add(added++);
        case TAKE -> take();
        case ACKNOWLEDGE -> acknowledge();
        case FAIL -> fail();
        case RETURN -> giveBack();
        case PUT_BACK -> putBack();
        case WAIT -> now += 13;
      }
    }

    private void take() {
      boolean isTrusted = isProven && now - acknowledgedAt < WARM_NANOS_MAX;
      boolean mayGo = taken < added && !isLoneInFlight && (isTrusted || inFlight == 0);
      assertThat(gate.mayTake(now)).isEqualTo(mayGo);
      if (mayGo) {
        assertThat(gate.take(now)).isEqualTo(taken);
        taken++;
        inFlight++;
        isLoneInFlight = !isTrusted;
      }
    }

    private void acknowledge() {
      if (inFlight > 0) {
        gate.acknowledged(now);
        inFlight--;
        acknowledgedAt = now;
        isProven = isProven || isLoneInFlight;
        isLoneInFlight = false;
      }
    }

    private void fail() {
      if (inFlight > 0) {
        gate.failed();
        inFlight--;
        isProven = false;
        isLoneInFlight = false;
      }
    }

    private void giveBack() {
      if (inFlight > 0) {
        gate.returned();
        forgetOne();
      }
    }

    private void putBack() {
      if (inFlight > 0) {
        taken--;
        gate.putBack(taken);
        forgetOne();
      }
    }

    private void forgetOne() {
      inFlight--;
      isProven = isProven && !isLoneInFlight;
      isLoneInFlight = false;
    }

    /** Nothing is stuck: with every answer good, everything goes. */
    void finish() {
      for (int rounds = 0; taken < added || inFlight > 0; rounds++) {
        assertThat(rounds).isLessThan(2_000);
        acknowledge();
        take();
      }
    }
  }
}
