package io.millrace.example.order;

import io.vertx.sqlclient.Pool;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The shop's money in a few words. Reading it takes longer the more orders there are; then it is
 * read less often than every second.
 */
final class BooksLine {
  private static final long WAIT_S = 10;

  /** Reading may take a tenth of the time. */
  private static final int SHARE = 10;

  private final Pool pool;
  private @Nullable ShopBooks last;
  private boolean isAlwaysEven = true;
  private long nextNanos = System.nanoTime();

  BooksLine(Pool pool) {
    this.pool = pool;
  }

  /** Whether the sums were equal whenever they were read. */
  boolean isAlwaysEven() {
    return isAlwaysEven;
  }

  String read() {
    ShopBooks books = last;
    long startNanos = System.nanoTime();
    if (books != null && startNanos - nextNanos < 0) {
      return books.text();
    }
    try {
      books =
          ShopBooks.read(pool)
              .toCompletionStage()
              .toCompletableFuture()
              .get(WAIT_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    } catch (Exception e) {
      return "balance: no answer";
    }
    long endNanos = System.nanoTime();
    nextNanos = endNanos + (endNanos - startNanos) * SHARE;
    isAlwaysEven = isAlwaysEven && books.isEven();
    last = books;
    return books.text();
  }
}
