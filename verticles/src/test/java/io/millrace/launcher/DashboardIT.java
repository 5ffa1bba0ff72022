package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.InboxConsumer;
import io.millrace.client.MessageRefused;
import io.millrace.devstack.DevStack;
import io.millrace.testkit.FaultProxy;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The dashboard of a running node in a real browser. */
@Tag("any-database")
class DashboardIT {
  private static final String VIEWER = "viewer-token-of-bob-0123456789abcdef";
  private static final String OPERATOR = "operator-token-of-ada-0123456789abcdef";
  private static final int WIDE = 1400;
  private static final int HIGH = 1000;

  private final DevStack stack = SharedStack.get();
  private Stand stand;
  private Stand.Node node;
  private FaultProxy proxy;
  private String topic;

  @BeforeEach
  void start() throws Exception {
    topic = "board-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of("max.message.bytes", "2000"));
    proxy = FaultProxy.to(stack.postgres().host(), stack.postgres().port());
    stand = new Stand(stack);
    InboxConsumer consumer =
        InboxConsumer.of(
            "billing",
            List.of(topic),
            (message, context) ->
                message.payloadText().equals("bad")
                    ? Future.failedFuture(new MessageRefused("bad"))
                    : Future.succeededFuture());
    node =
        stand.start(
            Map.of(
                "node.id",
                "node-a",
                "inbox.retention_check",
                "warn",
                "database.host",
                proxy.host(),
                "database.port",
                proxy.port(),
                "admin.tokens.bob",
                "viewer:" + VIEWER,
                "admin.tokens.ada",
                "operator:" + OPERATOR),
            builder -> builder.withConsumer(consumer));
  }

  @AfterEach
  void end() throws Exception {
    proxy.heal();
    stand.close();
    proxy.close();
  }

  private DashboardPage open(int width, int height, boolean isDark) {
    return DashboardPage.open(node.millrace().adminPort().orElseThrow(), width, height, isDark);
  }

  private DashboardPage open(String token) {
    DashboardPage page = open(WIDE, HIGH, false);
    page.signIn(token);
    page.awaitText("#ready", "ready");
    // That nobody was signed in at first is one.
    page.complaints();
    return page;
  }

  private void park(int orders) throws Exception {
    for (int order = 0; order < orders; order++) {
      stand.sql(Stand.append(topic, "o" + order, "x".repeat(5_000)));
    }
    awaitNumber("select count(*) from millrace.parked", orders);
  }

  private void awaitNumber(String query, long number) {
    await()
        .atMost(Stand.LIMIT)
        .untilAsserted(() -> assertThat(stand.number(query)).isEqualTo(number));
  }

  @Test
  void it_shows_what_moves_without_being_loaded_again_and_asks_nobody_else() throws Exception {
    try (DashboardPage page = open(VIEWER)) {
      page.awaitText("#who", "bob, viewer");
      page.awaitText("#owners", "node-a: 4 shards");
      page.awaitText("#ring-picture", "0 messages");
      page.awaitText("#nodes-rows", "maintenance, turns the ring");
      page.awaitText("#consumers-rows", "billing");
      page.awaitText("#lanes-none", "No topic is quarantined.");
      assertThat(page.text("#parked-none")).isEqualTo("Nothing is parked.");

      stand.sql(Stand.append(topic, "o1", "good"), Stand.append(topic, "o1", "bad"));
      page.awaitText("#ring-picture", "2 messages");
      page.awaitText("#inbox-parked-rows", "billing refused 1");
      park(3);
      page.awaitText("#parked-rows", "board-");
      page.awaitText("#parked-count", "3");
      page.awaitText("#plot-throughput .values", "now: node-a");
      page.awaitText("#plot-latency .values", "slowest");
      assertThat(
              (Boolean)
                  page.script(
                      "return document.querySelectorAll('#plot-lag .lines path').length > 0"))
          .isTrue();
      page.picture("light");

      assertThat(
              page.script(
                  "return performance.getEntries().filter(e => e.name.startsWith('http'))"
                      + ".filter(e => new URL(e.name).origin !== location.origin).length"))
          .isEqualTo(0L);
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void an_operator_redrives_and_discards_with_a_reason_and_a_viewer_cannot() throws Exception {
    park(3);
    try (DashboardPage page = open(VIEWER)) {
      page.awaitText("#parked-count", "3");
      page.click("#parked-all");
      assertThat(
              page.script(
                  "return [...document.querySelectorAll('[data-operator]')].every(b => b.disabled)"))
          .isEqualTo(true);
    }
    try (DashboardPage page = open(OPERATOR)) {
      page.awaitText("#parked-count", "3");
      page.click("#parked-rows tr:first-child input");
      page.click("#discard");
      page.type("#act-reason", "not wanted any more");
      page.click("#act-do");
      page.awaitText("#news", "Discard asked for: 1 message.");
      awaitNumber("select count(*) from millrace.parked", 2);
      page.awaitText("#parked-count", "2");

      assertThat(page.shown("#redrive-all").isEnabled()).as("with no filter").isFalse();
      page.type("#parked-filter [name=topic]", topic + Keys.ENTER);
      page.await(
          "all of the topic", driver -> page.shown("#redrive-all").isEnabled() ? true : null);
      page.click("#redrive-all");
      page.type("#act-reason", "the limit was raised");
      page.click("#act-do");
      page.awaitText("#news", "Redrive asked for: 2 messages.");
      assertThat(
              stand.text(
                  "select string_agg(distinct actor || ': ' || reason, '; ') from millrace.audit where actor = 'ada'"))
          .isEqualTo("ada: not wanted any more; ada: the limit was raised");
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void a_shard_is_paused_and_the_ring_turned_by_the_keyboard_alone() throws Exception {
    stand.sql(Stand.append(topic, "o1", "before"));
    try (DashboardPage page = open(OPERATOR)) {
      page.awaitText("#owners", "4 shards");
      page.script("document.body.focus()");
      tabTo(page, "slot 0");
      page.press(Keys.ARROW_RIGHT);
      page.awaitText("#slot", "Slot 1: free");
      tabTo(page, "turn");
      page.press(Keys.ENTER);
      page.await("the dialog", driver -> page.focus().equals("act-reason") ? true : null);
      page.press(Keys.ESCAPE);
      page.press(Keys.ENTER);
      page.await("the dialog", driver -> page.focus().equals("act-reason") ? true : null);
      page.press("drill", Keys.ENTER);
      page.awaitText("#news", "The ring turns at the next round.");
      awaitNumber("select millrace.ring_current()", 1);

      tabTo(page, "shard 0");
      page.press(Keys.ARROW_RIGHT, Keys.ENTER);
      page.awaitText("#shard", "Shard 1");
      tabTo(page, "Pause");
      page.press(Keys.ENTER);
      page.await("the dialog", driver -> page.focus().equals("act-reason") ? true : null);
      page.press("drill", Keys.ENTER);
      page.awaitText("#news", "Shard 1 is paused.");
      page.awaitText("#owners", "paused: 1 shard");
    }
    awaitNumber("select count(*) from millrace.shard where paused", 1);
  }

  private static void tabTo(DashboardPage page, String where) {
    for (int i = 0; i < 60; i++) {
      if (page.focus().startsWith(where)) {
        return;
      }
      page.press(Keys.TAB);
    }
    throw new AssertionError("no way to " + where + " by Tab, ended at " + page.focus());
  }

  @Test
  void it_fits_a_phone_and_is_dark_where_the_reader_wants_it() throws Exception {
    park(1);
    try (DashboardPage page = open(390, 844, true)) {
      page.signIn(VIEWER);
      page.awaitText("#owners", "4 shards");
      page.awaitText("#parked-rows", "board-");
      assertThat((Number) page.script("return document.documentElement.scrollWidth"))
          .isEqualTo(390L);
      assertThat((String) page.script("return getComputedStyle(document.body).backgroundColor"))
          .isEqualTo("rgb(17, 22, 29)");
      assertThat(
              (Number)
                  page.script(
                      "return [...document.querySelectorAll('button')].filter(b => b.offsetParent && !b.closest('td'))"
                          + ".map(b => b.getBoundingClientRect().height).reduce((a, b) => Math.min(a, b))"))
          .as("room for a thumb, in pixels")
          .satisfies(least -> assertThat(least.doubleValue()).isGreaterThanOrEqualTo(38));
      page.picture("phone-dark");
    }
  }

  @Test
  void a_wrong_token_is_refused_and_the_page_shows_nothing() {
    try (DashboardPage page = open(WIDE, HIGH, false)) {
      page.signIn("a-token-that-nobody-has-0123456789abcdef");
      page.awaitText("#sign-in-problem", "no bearer token that is accepted");
      assertThat(page.shown("#state")).isNull();
      page.signIn(VIEWER);
      page.awaitText("#owners", "4 shards");
      page.click("#sign-out");
      page.await("the form", driver -> page.shown("#token"));
      assertThat(page.shown("#state")).isNull();
    }
  }

  @Test
  void an_outage_of_the_database_is_said_and_its_end_is_seen() {
    try (DashboardPage page = open(VIEWER)) {
      page.awaitText("#owners", "4 shards");
      proxy.cut();
      page.awaitText("#reasons", "The database cannot be read");
      assertThat(page.text("#ready")).isEqualTo("not ready");
      proxy.heal();
      page.await("ready", driver -> page.text("#ready").equals("ready") ? true : null);
      assertThat(page.shown("#reasons")).isNull();
    }
  }
}
