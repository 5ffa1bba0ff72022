package io.millrace.inbox;

import io.millrace.transaction.SqlText;

/** Every statement of this package, each the text of a {@code .sql} resource of the same name. */
enum Statement {
  LIMIT_TRANSACTION,
  CLAIM,
  PARK,
  ADVANCE,
  EFFECT_BEGIN,
  EFFECT_FINISH;

  private final String text = SqlText.of(this);

  String text() {
    return text;
  }
}
