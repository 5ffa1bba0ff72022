package io.millrace.writer;

import io.millrace.transaction.SqlText;

/** Every statement of this package, each the text of a {@code .sql} resource of the same name. */
enum Statement {
  LIMIT_TRANSACTION,
  BEGIN_COMMAND,
  SET_SAVEPOINT,
  RELEASE_SAVEPOINT,
  ROLLBACK_TO_SAVEPOINT,
  FINISH_COMMAND;

  private final String text = SqlText.of(this);

  String text() {
    return text;
  }
}
