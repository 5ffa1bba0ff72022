package io.millrace.bench.namastack;

/** The payload of an outbox record, which the library stores as JSON. */
record AccountChanged(String id, String text) {}
