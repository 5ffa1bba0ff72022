package io.millrace.admin;

/**
 * A verticle of this node that can be asked how it is. It consumes the address and replies to any
 * request within {@value StatusBus#REPLY_MS_MAX} ms with a JSON object:
 *
 * <pre>
 *   {"ready": false, "reasons": ["the broker does not answer"],
 *    "shards": [{"shard": 3, "state": "reading", "reason": null}]}
 * </pre>
 *
 * {@code warnings}, texts that may be absent, leave the node ready. {@code shards} comes from
 * relays alone and may be absent; it lists the shards that the relay owns. A field {@code consumer}
 * makes it the reply of a consumer, which is shown as it is.
 *
 * @param name what reasons call it, such as "relay"
 * @param address where on the event bus it answers
 */
public record StatusSource(String name, String address) {}
