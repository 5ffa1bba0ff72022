package io.millrace.example.payment;

/** The application's own tables. */
public final class BankTables {
  private BankTables() {}

  /** What an owner of the database runs once. */
  public static String sql() {
    return SqlFile.read("tables.sql");
  }
}
