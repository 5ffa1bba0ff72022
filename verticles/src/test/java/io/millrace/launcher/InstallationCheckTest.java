package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.port.Compatibility;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InstallationCheckTest {
  private static final int OWN = 20;

  private static boolean mayStart(int schemaVersion, int compatibleFrom) {
    return InstallationCheck.problems(
            Optional.of(new Compatibility(schemaVersion, compatibleFrom)), OWN)
        .isEmpty();
  }

  @Test
  void a_node_starts_on_its_own_schema_and_on_a_later_one_that_takes_it() {
    assertThat(mayStart(OWN, OWN)).isTrue();
    assertThat(mayStart(OWN + 5, OWN)).isTrue();
    assertThat(mayStart(OWN + 5, OWN - 5)).isTrue();
  }

  @Test
  void it_does_not_start_on_an_older_one_or_on_one_that_takes_it_no_more() {
    assertThat(mayStart(OWN - 1, 1)).isFalse();
    assertThat(mayStart(OWN + 5, OWN + 1)).isFalse();
    assertThat(InstallationCheck.problems(Optional.empty(), OWN))
        .containsExactly(
            "this node needs schema version 20, the database has no schema millrace, or an earlier one: run millrace migrate first");
  }
}
