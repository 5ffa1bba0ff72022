package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterConfigTest {

  @Test
  void a_node_is_alone_unless_it_is_told_otherwise() {
    assertThat(ClusterConfig.defaults().enabled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "0", "00.0", "::", "0:0:0:0:0:0:0:0"})
  void a_wildcard_address_is_refused(String host) {
    assertThat(problems(Map.of("cluster.host", host)))
        .singleElement()
        .asString()
        .contains("cluster.host", "other than 0.0.0.0 and ::");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "127.0.0.1", "10.0.0.1", "::1", "fd00::", "node-0.example.org", "0x"})
  void any_other_address_or_name_may_be_bound(String host) {
    assertThat(MillraceConfig.from(Map.of("cluster.host", host)).cluster().host()).isEqualTo(host);
  }

  @Test
  void a_clustered_node_knows_where_to_find_others_by_one_way() {
    Map<String, Object> enabled = Map.of("cluster.enabled", true);
    assertThat(problems(enabled)).singleElement().asString().contains("must be given");
    Map<String, Object> both =
        Map.of("cluster.members", "a:5701", "cluster.kubernetes_service_dns", "nodes");
    assertThat(problems(both)).singleElement().asString().contains("must be empty with");
  }

  @Test
  void members_and_event_bus_do_not_share_a_port() {
    assertThat(problems(Map.of("cluster.port", 6000, "cluster.event_bus_port", 6000)))
        .singleElement()
        .asString()
        .contains("cluster.event_bus_port", "must differ from cluster.port (6000)");
  }

  @Test
  void members_are_listed_one_by_one() {
    ClusterConfig config =
        MillraceConfig.from(Map.of("cluster.enabled", true, "cluster.members", "a:1,[::1]:2"))
            .cluster();
    assertThat(config.memberList()).containsExactly("a:1", "[::1]:2");
    assertThat(ClusterConfig.defaults().memberList()).isEmpty();
  }

  private static List<Problem> problems(Map<String, Object> values) {
    return MillraceConfigTest.problemsOf(values);
  }
}
