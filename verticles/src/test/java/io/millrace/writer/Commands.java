package io.millrace.writer;

import io.millrace.client.Command;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandResult;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.util.OptionalLong;
import java.util.function.Function;

/** The commands of the shop in these tests. */
final class Commands {
  private Commands() {}

  static Command of(String name, Function<CommandContext, Future<CommandResult>> run) {
    return new Command() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Future<CommandResult> run(CommandContext context) {
        return run.apply(context);
      }
    };
  }

  /** Inserts an order, which must not be there yet, and announces it twice. */
  static Command place() {
    return of("place", Commands::place);
  }

  static Future<CommandResult> place(CommandContext context) {
    String id = context.arguments().getString("id");
    OptionalLong any = OptionalLong.empty();
    return change(context)
        .compose(changed -> context.nextRevision("order", id, any))
        .compose(
            revision ->
                context.append(
                    message(id, "placed").withRevision(revision),
                    message("other-" + id, "placed").withRevision(revision)))
        .map(appended -> new CommandResult(new JsonObject().put("placed", id)));
  }

  /** As place, and then says no. */
  static Command refuse(String code) {
    return of(
        "refuse",
        context ->
            place(context)
                .compose(
                    placed ->
                        Future.failedFuture(
                            new CommandRefused(code, "no: " + context.arguments().encode()))));
  }

  static Future<?> change(CommandContext context) {
    return context
        .connection()
        .preparedQuery("insert into public.orders values ($1, 'placed')")
        .execute(Tuple.of(context.arguments().getString("id")));
  }

  static NewMessage message(String id, String event) {
    return NewMessage.of("orders", "order", id, event, Payload.of("{}"));
  }
}
