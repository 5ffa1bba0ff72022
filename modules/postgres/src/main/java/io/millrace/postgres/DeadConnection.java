package io.millrace.postgres;

import io.netty.channel.Channel;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionInternal;
import java.util.concurrent.TimeoutException;

/**
 * A connection that answers nothing. Given back to the pool it would be lent again and again, for
 * as long as TCP believes in it; and closing it says good-bye and waits for the other side to hang
 * up. It is dropped at the socket instead: the pool then makes another one.
 */
final class DeadConnection {
  private DeadConnection() {}

  /** Drops the connection if the failure is that the client's own limit has passed. */
  static void dropIfSilent(SqlConnection connection, Throwable cause) {
    if (cause instanceof TimeoutException
        && connection instanceof SqlConnectionInternal pooled
        && pooled.unwrap().unwrap() instanceof SocketConnectionBase real) {
      Channel channel = real.socket().channelHandlerContext().channel();
      // Past the handler that would wait.
      channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
    }
  }
}
