package io.millrace.inbox;

import io.millrace.core.inbox.IdentityRule;
import io.millrace.core.inbox.ReceivedRecord;

/** A record that waits for its transaction. */
record Item(ReceivedRecord record, IdentityRule.Finding finding) {
  long bytes() {
    return record.bytes();
  }
}
