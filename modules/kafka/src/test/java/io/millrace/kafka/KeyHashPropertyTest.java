package io.millrace.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

class KeyHashPropertyTest {

  @Property
  void a_key_goes_where_the_default_partitioner_puts_it(
      @ForAll byte[] key, @ForAll @IntRange(min = 1, max = 1_000) int partitions) {
    assertThat(KeyHash.topicPartition(key, partitions))
        .isBetween(0, partitions - 1)
        .isEqualTo(BuiltInPartitioner.partitionForKey(key, partitions));
  }

  /** The hashes are those that Kafka's own tests pin for all clients. */
  @Example
  void known_keys_go_where_they_have_always_gone() {
    assertThat(KeyHash.topicPartition("21".getBytes(UTF_8), Integer.MAX_VALUE))
        .isEqualTo(-973932308 & Integer.MAX_VALUE);
    assertThat(KeyHash.topicPartition("foobar".getBytes(UTF_8), Integer.MAX_VALUE))
        .isEqualTo(-790332482 & Integer.MAX_VALUE);
  }
}
