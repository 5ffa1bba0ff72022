package io.millrace.postgres;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The shard of an aggregate, computed without the database. */
final class ShardHash {
  private ShardHash() {}

  static int of(String type, String id, int shards) {
    String text = type.codePointCount(0, type.length()) + ":" + type + id;
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return (int) (Integer.toUnsignedLong(ByteBuffer.wrap(hash).getInt()) % shards);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
