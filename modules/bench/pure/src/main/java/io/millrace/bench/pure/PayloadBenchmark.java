package io.millrace.bench.pure;

import io.millrace.core.message.Payload;
import io.millrace.payload.avro.AvroCodec;
import io.millrace.payload.json.JsonCodec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.openjdk.jmh.annotations.Benchmark;

/** The codecs for an order of ten lines. */
public class PayloadBenchmark extends PerMessage {
  private static final int LINES = 10;
  private static final Schema SCHEMA =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Order", "fields": [
                {"name": "id", "type": "string"},
                {"name": "customer", "type": "long"},
                {"name": "placedAt", "type": "long"},
                {"name": "lines", "type": {"type": "array", "items":
                  {"type": "record", "name": "Line", "fields": [
                    {"name": "article", "type": "string"},
                    {"name": "count", "type": "int"}]}}}]}
              """);

  private final JsonCodec<Order> json = JsonCodec.of(Order.class);
  private final AvroCodec<GenericRecord> avro = AvroCodec.of(SCHEMA);
  private final Order order = order();
  private final GenericRecord avroOrder = avroOrder();
  private final Payload jsonPayload = json.write(order);
  private final Payload avroPayload = avro.write(avroOrder);

  /** What a payload says. */
  public record Order(String id, long customer, Instant placedAt, List<Line> lines) {}

  /** One of its lines. */
  public record Line(String article, int count) {}

  private static Order order() {
    List<Line> lines =
        IntStream.range(0, LINES).mapToObj(i -> new Line("article-" + i, i)).toList();
    return new Order("order-00000001", 4_711, Instant.parse("2026-01-01T12:00:00Z"), lines);
  }

  private static GenericRecord avroOrder() {
    Order same = order();
    GenericRecord record = new GenericData.Record(SCHEMA);
    Map.<String, Object>of(
            "id",
            same.id(),
            "customer",
            same.customer(),
            "placedAt",
            same.placedAt().toEpochMilli(),
            "lines",
            same.lines().stream().map(PayloadBenchmark::avroLine).toList())
        .forEach(record::put);
    return record;
  }

  private static GenericRecord avroLine(Line line) {
    GenericRecord record =
        new GenericData.Record(SCHEMA.getField("lines").schema().getElementType());
    record.put("article", line.article());
    record.put("count", line.count());
    return record;
  }

  @Benchmark
  public Payload jsonWrite() {
    return json.write(order);
  }

  @Benchmark
  public Order jsonRead() {
    return json.read(jsonPayload);
  }

  @Benchmark
  public Payload avroWrite() {
    return avro.write(avroOrder);
  }

  @Benchmark
  public GenericRecord avroRead() {
    return avro.read(avroPayload);
  }
}
