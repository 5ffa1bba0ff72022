/**
 * A service with Spring's transactions over JDBC: {@code @Transactional} methods change the
 * service's own tables and append messages. It knows nothing of Vert.x or Kafka; {@code millrace
 * run} publishes beside it.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.example.spring;
