package io.millrace.core.message;

import java.util.Locale;

/** What can be said about a media type (RFC 9110, section 8.3.1) by its text. */
public final class ContentType {
  private ContentType() {}

  /** The type and subtype in lower case, without parameters. */
  public static String essence(String contentType) {
    int end = contentType.indexOf(';');
    return (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /** Whether it is JSON, or a type that is written in JSON ({@code +json}, RFC 6839). */
  public static boolean isJson(String contentType) {
    String essence = essence(contentType);
    return essence.equals(NewMessage.JSON) || essence.endsWith("+json");
  }
}
