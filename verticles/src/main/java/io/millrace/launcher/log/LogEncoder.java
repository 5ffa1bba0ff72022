package io.millrace.launcher.log;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;

/**
 * Writes text by a pattern, or lines of JSON: one appender for both, since logback complains of an
 * appender that is not in use. What is no format is text; {@link LogFormat} refuses it.
 */
public final class LogEncoder extends EncoderBase<ILoggingEvent> {
  private String format = "text";
  private String pattern = "%msg%n";
  private Encoder<ILoggingEvent> encoder = new JsonEncoder();

  /** By the configuration of logback: {@code text} or {@code json}. */
  public void setFormat(String format) {
    this.format = format;
  }

  /** By the configuration of logback: of a line of text. */
  public void setPattern(String pattern) {
    this.pattern = pattern;
  }

  @Override
  public void start() {
    encoder = format.equals(LogFormat.JSON) ? new JsonEncoder() : text();
    encoder.setContext(getContext());
    encoder.start();
    super.start();
  }

  private Encoder<ILoggingEvent> text() {
    PatternLayoutEncoder text = new PatternLayoutEncoder();
    text.setPattern(pattern);
    return text;
  }

  @Override
  public void stop() {
    encoder.stop();
    super.stop();
  }

  @Override
  public byte[] headerBytes() {
    return encoder.headerBytes();
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return encoder.encode(event);
  }

  @Override
  public byte[] footerBytes() {
    return encoder.footerBytes();
  }
}
