package io.millrace.payload.avro;

import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaCompatibility.SchemaPairCompatibility;

/** Whether data of one schema can be read by another one. */
final class Resolution {
  private Resolution() {}

  /**
   * @throws IllegalArgumentException if it cannot, with the places in the schema
   */
  static void require(Schema writtenBy, Schema readBy) {
    SchemaPairCompatibility pair =
        SchemaCompatibility.checkReaderWriterCompatibility(readBy, writtenBy);
    if (pair.getType() != SchemaCompatibilityType.COMPATIBLE) {
      throw new IllegalArgumentException(
          writtenBy.getFullName()
              + " cannot be read as "
              + readBy.getFullName()
              + ": "
              + pair.getResult().getIncompatibilities().stream()
                  .map(at -> at.getType() + " at " + at.getLocation() + ": " + at.getMessage())
                  .collect(Collectors.joining("; ")));
    }
  }
}
