package io.millrace.port;

/**
 * What a node must know of the database before it starts.
 *
 * @param shardCount fixed when the schema was laid
 * @param payloadBytesMax the largest payload, in bytes
 * @param inboxBucketMs the width of an inbox bucket, in milliseconds; fixed when the schema was
 *     laid
 * @param serverVersion PostgreSQL's number, such as 150004
 * @param synchronousCommit the server's default; where it is off, a crash can undo what was
 *     announced
 * @param isInRecovery this is a standby, whose snapshots list no open transactions
 * @param isAhead stored snapshots are ahead of the server's counter: a restored database
 */
public record Installation(
    int shardCount,
    int payloadBytesMax,
    long inboxBucketMs,
    int serverVersion,
    String synchronousCommit,
    boolean isInRecovery,
    boolean isAhead) {}
