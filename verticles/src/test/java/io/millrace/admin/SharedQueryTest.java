package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedQueryTest {
  private final List<Promise<String>> runs = new ArrayList<>();
  private final SharedQuery<String> query =
      new SharedQuery<>(
          () -> {
            Promise<String> run = Promise.promise();
            runs.add(run);
            return run.future();
          });

  @Test
  void those_who_ask_while_it_runs_get_the_same_answer() {
    Future<String> first = query.ask();
    Future<String> second = query.ask();
    assertThat(runs).hasSize(1);
    runs.get(0).complete("rows");
    assertThat(first.result()).isEqualTo("rows");
    assertThat(second.result()).isEqualTo("rows");
  }

  @Test
  void who_asks_after_the_answer_gets_a_new_one() {
    Future<String> first = query.ask();
    runs.get(0).complete("old");
    Future<String> second = query.ask();
    runs.get(1).complete("new");
    assertThat(first.result()).isEqualTo("old");
    assertThat(second.result()).isEqualTo("new");
  }

  @Test
  void a_failure_reaches_all_and_is_not_kept() {
    Future<String> first = query.ask();
    Future<String> second = query.ask();
    runs.get(0).fail(new IllegalStateException("gone"));
    assertThat(first.cause()).hasMessage("gone");
    assertThat(second.cause()).hasMessage("gone");
    query.ask();
    assertThat(runs).hasSize(2);
  }

  @Test
  void an_answer_that_is_there_at_once_is_not_kept_either() {
    List<String> answers = new ArrayList<>();
    SharedQuery<Integer> immediate =
        new SharedQuery<>(
            () -> {
              answers.add("asked");
              return Future.succeededFuture(answers.size());
            });
    assertThat(immediate.ask().result()).isEqualTo(1);
    assertThat(immediate.ask().result()).isEqualTo(2);
  }
}
