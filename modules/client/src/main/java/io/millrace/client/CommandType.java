package io.millrace.client;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.BiFunction;

/**
 * A command as both sides know it: its name, and what its request and its answer look like as JSON.
 *
 * @param name what callers call it by; unique within a writer
 */
public record CommandType<Q, A>(String name, JsonForm<Q> request, JsonForm<A> answer) {

  /**
   * The command that a writer registers.
   *
   * @param run as {@link Command#run}, with the request read already; a request that cannot be read
   *     is refused with {@link CommandFailure.Kind#INVALID} before it is called
   */
  public Command handledBy(BiFunction<Q, CommandContext, Future<A>> run) {
    String name = this.name;
    return new Command() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Future<CommandResult> run(CommandContext context) {
        return run.apply(read(context.arguments()), context)
            .map(done -> new CommandResult(answer.toJson(done)));
      }
    };
  }

  private Q read(JsonObject arguments) {
    try {
      return request.fromJson(arguments);
    } catch (RuntimeException e) {
      throw new CommandFailure(
          CommandFailure.Kind.INVALID,
          "arguments of " + name + " cannot be read: " + e.getMessage(),
          e);
    }
  }
}
