package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ShopBooksTest {
  private final Locale before = Locale.getDefault();

  @BeforeEach
  void readAsTheTestIsWritten() {
    Locale.setDefault(Locale.ROOT);
  }

  @AfterEach
  void restore() {
    Locale.setDefault(before);
  }

  @Test
  void equal_sums_are_ok() {
    assertThat(new ShopBooks(123_456, 123_456, 123_456, 3, 3, 1, 8).text())
        .isEqualTo("balance 1,234.56 OK");
  }

  @Test
  void a_cent_too_much_is_off() {
    assertThat(new ShopBooks(123_457, 123_456, 123_456, 3, 3, 1, 8).text())
        .isEqualTo("balance 1,234.57 OFF: orders paid 1,234.56 (3), payments 1,234.56 (3)");
  }

  @Test
  void a_payment_too_many_is_off() {
    assertThat(new ShopBooks(123_456, 123_456, 123_456, 3, 4, 1, 8).isEven()).isFalse();
  }
}
