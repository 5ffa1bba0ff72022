package io.millrace.cluster;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.Command;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandResult;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.launcher.Millrace;
import io.millrace.launcher.config.ConfigLoader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * An application that embeds Millrace in a clustered Vertx and brings a command; in a process of
 * its own. Asked at {@link #askAt} it sends a command itself and tells what came of it.
 */
final class ClusterNode {
  static final String TOPIC = "clustered";

  private ClusterNode() {}

  static String askAt(String node) {
    return "test.ask." + node;
  }

  public static void main(String[] arguments) throws Exception {
    MillraceConfig config = ConfigLoader.load(Optional.of(Path.of(arguments[0])), Map.of());
    Cluster cluster =
        Cluster.join(Vertx.builder(), new VertxOptions(), config.cluster())
            .toCompletionStage()
            .toCompletableFuture()
            .get();
    Millrace millrace =
        Millrace.in(cluster.vertx(), config)
            .withCluster(cluster)
            .withMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
            .withCommand(new Raise(config.node().id(), TOPIC))
            .start()
            .toCompletionStage()
            .toCompletableFuture()
            .get();
    listen(cluster.vertx(), config.node().id(), millrace)
        .toCompletionStage()
        .toCompletableFuture()
        .get();
    System.out.println(
        "Millrace runs, admin on port " + millrace.adminPort().orElseThrow()); // as the server says
  }

  private static Future<Void> listen(Vertx vertx, String node, Millrace millrace) {
    return vertx
        .eventBus()
        .<JsonObject>consumer(
            askAt(node),
            question ->
                millrace
                    .commands()
                    .send(
                        "raise",
                        UUID.fromString(question.body().getString("command_id")),
                        question.body().getJsonObject("arguments"))
                    .onSuccess(reply -> question.reply(reply.body()))
                    .onFailure(failure -> question.fail(1, failure.toString())))
        .completion();
  }

  /** Raises an order's revision and announces it; answers with the node that ran it. */
  record Raise(String node, String topic) implements Command {
    @Override
    public String name() {
      return "raise";
    }

    @Override
    public Future<CommandResult> run(CommandContext context) {
      String order = context.arguments().getString("order");
      return context
          .nextRevision("order", order, OptionalLong.empty())
          .compose(
              revision ->
                  context
                      .append(
                          NewMessage.of(topic, "order", order, "raised", Payload.of("r" + revision))
                              .withRevision(revision))
                      .map(
                          appended ->
                              new CommandResult(
                                  new JsonObject().put("node", node).put("revision", revision))));
    }
  }
}
