package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("any-database")
class PostgisIT {

  @Test
  void a_server_with_postgis_transforms_between_reference_systems() throws Exception {
    try (PostgresServer server = PostgresServer.start(PostgresSpec.ofPostgis())) {
      Sql.executePatiently(server, "create extension postgis");
      assertThat(Sql.value(server, "postgres", "select postgis_full_version()"))
          .contains("POSTGIS=\"3.", "PROJ=");
      String point = "ST_Transform(ST_SetSRID(ST_MakePoint(500000, 0), 32633), 4326)";
      assertThat(Sql.value(server, "postgres", "select ST_AsText(" + point + ", 6)"))
          .isEqualTo("POINT(15 0)");
    }
  }

  @Test
  void a_system_that_has_none_and_cannot_fetch_it_says_what_to_install(@TempDir Path cache)
      throws Exception {
    Path notAFolder = Files.writeString(cache.resolve("file"), "");
    PostgisBinaries binaries =
        new PostgisBinaries(new ProgramCache(notAFolder), cache.resolve("nothing"));
    assertThatThrownBy(binaries::programs)
        .isInstanceOf(DevStackException.class)
        .hasMessageContaining("'apt-get install postgresql-15-postgis-3'");
  }

  @Test
  void an_installed_one_is_taken_as_it_is_and_the_newest_of_several(@TempDir Path system)
      throws Exception {
    for (String version : new String[] {"9", "14", "15", "17", "18"}) {
      Path folder = Files.createDirectories(system.resolve(version));
      Path program = Files.createDirectories(folder.resolve("bin")).resolve("postgres");
      assertThat(Files.createFile(program).toFile().setExecutable(true)).isTrue();
      if (!version.equals("18")) {
        Files.createFile(Files.createDirectories(folder.resolve("lib")).resolve("postgis-3.so"));
      }
    }
    PostgresPrograms programs = new PostgisBinaries(new ProgramCache(system), system).programs();
    assertThat(programs).isEqualTo(new PostgresPrograms(system.resolve("17/bin"), List.of()));
  }
}
