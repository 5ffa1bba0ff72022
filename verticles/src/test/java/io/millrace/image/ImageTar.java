package io.millrace.image;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** An image as {@code docker load} reads it: a tar of a manifest, a configuration and layers. */
final class ImageTar {
  private final Map<String, byte[]> parts = new LinkedHashMap<>();
  private final JsonObject manifest;

  ImageTar(Path file) throws IOException {
    try (TarArchiveInputStream tar = new TarArchiveInputStream(Files.newInputStream(file))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        parts.put(entry.getName(), tar.readAllBytes());
      }
    }
    manifest = new JsonArray(new String(parts.get("manifest.json"))).getJsonObject(0);
  }

  /** A file of a layer. */
  record Entry(String path, int mode, long user, Instant changedAt) {}

  /** What the whole image says of itself: when, for which machine, how to start it. */
  JsonObject description() {
    return new JsonObject(new String(parts.get(manifest.getString("Config"))));
  }

  List<String> names() {
    return manifest.getJsonArray("RepoTags").stream().map(String::valueOf).toList();
  }

  List<Entry> files() throws IOException {
    List<Entry> files = new ArrayList<>();
    read(
        (entry, content) ->
            files.add(
                new Entry(
                    entry.getName(),
                    entry.getMode(),
                    entry.getLongUserId(),
                    entry.getLastModifiedDate().toInstant())));
    return files;
  }

  /** Lays all layers into a folder, one over the other. */
  void unpack(Path folder) throws IOException {
    read(
        (entry, content) -> {
          Path file = folder.resolve(entry.getName());
          Files.createDirectories(file.getParent());
          Files.copy(content, file);
        });
  }

  private interface Reading {
    void file(TarArchiveEntry entry, InputStream content) throws IOException;
  }

  private void read(Reading reading) throws IOException {
    for (Object layer : manifest.getJsonArray("Layers")) {
      try (TarArchiveInputStream tar =
          new TarArchiveInputStream(
              new GZIPInputStream(new ByteArrayInputStream(parts.get((String) layer))))) {
        for (TarArchiveEntry entry = tar.getNextEntry();
            entry != null;
            entry = tar.getNextEntry()) {
          if (!entry.isDirectory()) {
            reading.file(entry, tar);
          }
        }
      }
    }
  }
}
