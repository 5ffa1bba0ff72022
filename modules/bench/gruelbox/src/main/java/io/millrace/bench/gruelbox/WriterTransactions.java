package io.millrace.bench.gruelbox;

import com.gruelbox.transactionoutbox.NoTransactionActiveException;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.ThrowingTransactionalSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The library's own transactions for its threads, and for a writer's thread the one that is open on
 * its connection: as its managers for Spring and jOOQ do.
 */
final class WriterTransactions implements ThreadLocalContextTransactionManager {
  private static final ThreadLocal<@Nullable WriterTransaction> OPEN = new ThreadLocal<>();
  private final ThreadLocalContextTransactionManager own;

  WriterTransactions(ThreadLocalContextTransactionManager own) {
    this.own = own;
  }

  /** Work that schedules in the transaction. */
  void during(WriterTransaction transaction, Runnable work) {
    OPEN.set(transaction);
    try {
      work.run();
    } finally {
      OPEN.remove();
    }
  }

  @Override
  public <T, E extends Exception> T inTransactionReturnsThrows(
      ThrowingTransactionalSupplier<T, E> work) throws E {
    return own.inTransactionReturnsThrows(work);
  }

  @Override
  public <T, E extends Exception> T requireTransactionReturns(
      ThrowingTransactionalSupplier<T, E> work) throws E, NoTransactionActiveException {
    WriterTransaction transaction = OPEN.get();
    if (transaction == null) {
      return own.requireTransactionReturns(work);
    }
    return work.doWork(transaction);
  }
}
