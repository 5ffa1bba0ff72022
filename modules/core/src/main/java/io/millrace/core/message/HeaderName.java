package io.millrace.core.message;

/**
 * Names of the record headers that Millrace writes, in the order in which it writes them. The
 * {@code ce_} ones and {@code content-type} are those of the CloudEvents 1.0 Kafka protocol
 * binding, binary content mode. Values are UTF-8 text. A message's own headers follow and may
 * repeat a name: the first one of a name is Millrace's.
 */
public final class HeaderName {
  /** Always {@code 1.0}. */
  public static final String SPEC_VERSION = "ce_specversion";

  /** The message id, a UUIDv7: the same in every attempt to publish the message. */
  public static final String ID = "ce_id";

  /** The installation that published the message, as configured. */
  public static final String SOURCE = "ce_source";

  public static final String TYPE = "ce_type";

  /** When the message was appended, by the database's clock: RFC 3339, UTC. */
  public static final String TIME = "ce_time";

  /** The aggregate id. */
  public static final String SUBJECT = "ce_subject";

  /** The CloudEvents attribute datacontenttype. */
  public static final String CONTENT_TYPE = "content-type";

  public static final String AGGREGATE_TYPE = "millrace_aggregate_type";
  public static final String AGGREGATE_ID = "millrace_aggregate_id";

  /** The aggregate's own version number in decimal digits; absent if the message has none. */
  public static final String REVISION = "millrace_revision";

  /** Absent if the message has none. */
  public static final String SCHEMA_VERSION = "millrace_schema_version";

  /** The outbox id in decimal digits: it rises within an aggregate, with gaps. */
  public static final String MESSAGE_POSITION = "millrace_message_position";

  /**
   * Only on what an operator has had published once more: the number of the replay, in decimal
   * digits.
   */
  public static final String REPLAY = "millrace_replay";

  private HeaderName() {}

  /** Whether headers of that name are Millrace's own, or a future version's. */
  public static boolean isReserved(String name) {
    return name.startsWith("ce_") || name.startsWith("millrace_") || name.equals(CONTENT_TYPE);
  }
}
