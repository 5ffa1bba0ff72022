package io.millrace.port;

/**
 * What a rebase has done.
 *
 * @param appended messages that had not been published and were appended anew
 * @param dropped messages that had been published and were still kept
 * @param lanes lanes of quarantined topics that were closed: their messages are in the main lane
 * @param nodes dead nodes that were removed
 * @param head the message id behind which every cursor begins
 */
public record Rebased(long appended, long dropped, long lanes, long nodes, long head) {}
