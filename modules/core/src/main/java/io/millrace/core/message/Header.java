package io.millrace.core.message;

/** One header of a message. Names may repeat; values are text, written to the record as UTF-8. */
public record Header(String name, String value) {}
