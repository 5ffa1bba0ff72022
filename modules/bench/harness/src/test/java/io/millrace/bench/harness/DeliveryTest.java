package io.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bench.spi.Payloads;
import org.junit.jupiter.api.Test;

/** A peer that loses, repeats or reorders is told from one that does not. */
class DeliveryTest {
  private final Delivery.Books books = new Delivery.Books();

  @Test
  void all_once_and_in_order() {
    add(1, 0);
    add(2, 0);
    add(1, 1);
    assertThat(books.delivery().verdict(3)).isEqualTo("all once, in order");
  }

  @Test
  void one_is_missing() {
    add(1, 0);
    add(1, 2);
    assertThat(books.delivery().verdict(3)).isEqualTo("2 of 3 delivered in the time given");
  }

  @Test
  void one_came_twice_which_is_no_disorder() {
    add(1, 0);
    add(1, 1);
    add(1, 0);
    assertThat(books.delivery()).isEqualTo(new Delivery(2, 1, 0));
    assertThat(books.delivery().verdict(2)).isEqualTo("1 repeated");
    assertThat(books.delivery().verdictBesideRepeats(2)).isEqualTo("all, in order");
    assertThat(books.delivery().verdictBesideRepeats(3))
        .isEqualTo("2 of 3 delivered in the time given");
  }

  @Test
  void one_overtook_another() {
    add(1, 1);
    add(1, 0);
    add(2, 0);
    assertThat(books.delivery()).isEqualTo(new Delivery(3, 0, 1));
    assertThat(books.delivery().verdict(3)).isEqualTo("1 out of order");
  }

  @Test
  void only_the_first_of_a_message_tells_how_long_it_took() {
    assertThat(add(1, 0)).isTrue();
    assertThat(add(1, 1)).isTrue();
    assertThat(add(1, 0)).isFalse();
  }

  private boolean add(int aggregate, int revision) {
    return books.add(Payloads.of(aggregate, revision, 0, 100));
  }
}
