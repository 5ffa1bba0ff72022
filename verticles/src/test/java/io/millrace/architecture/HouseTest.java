package io.millrace.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;

/** The rooms of the house, and what each may see. */
@AnalyzeClasses(
    packages = "io.millrace",
    importOptions = {ImportOption.DoNotIncludeTests.class, HouseTest.WithoutToolsOfTests.class})
class HouseTest {
  private static final String[] JDK = {"java..", "org.jspecify.."};
  private static final String[] SHARED_ROOMS = {
    "io.millrace.membership..", "io.millrace.schedule..", "io.millrace.transaction.."
  };
  private static final String[] LOGS_AND_METRICS = {"org.slf4j..", "io.micrometer.."};

  /** Not part of what ships: servers and checkers for tests. */
  static final class WithoutToolsOfTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/io/millrace/devstack/")
          && !location.contains("/io/millrace/testkit/");
    }
  }

  @ArchTest static final ArchRule core_sees_the_jdk_alone = only("core", JDK);

  @ArchTest
  static final ArchRule port_sees_core_and_vertx_core =
      only("port", JDK, "io.millrace.core..", "io.vertx.core..");

  @ArchTest
  static final ArchRule client_sees_core_vertx_core_and_the_sql_client =
      only("client", JDK, "io.millrace.core..", "io.vertx.core..", "io.vertx.sqlclient..");

  @ArchTest
  static final ArchRule client_jdbc_sees_core_and_the_jdk_alone =
      only("jdbc", JDK, "io.millrace.core..");

  @ArchTest
  static final ArchRule payload_json_sees_core_and_its_own_library =
      only("payload.json", JDK, "io.millrace.core..", "com.fasterxml.jackson..");

  @ArchTest
  static final ArchRule payload_avro_sees_core_and_its_own_library =
      only("payload.avro", JDK, "io.millrace.core..", "org.apache.avro..");

  @ArchTest
  static final ArchRule postgres_sees_core_port_and_its_own_client_library =
      only(
          "postgres",
          JDK,
          "io.millrace.core..",
          "io.millrace.port..",
          "io.vertx.core..",
          "io.vertx.sqlclient..",
          "io.vertx.pgclient..",
          // A dead connection can be dropped only below its codec.
          "io.netty.channel..",
          "org.postgresql..",
          "org.flywaydb..",
          "org.slf4j..");

  @ArchTest
  static final ArchRule kafka_sees_core_port_and_its_own_client_library =
      only(
          "kafka",
          JDK,
          "io.millrace.core..",
          "io.millrace.port..",
          "io.vertx.core..",
          "io.vertx.kafka..",
          "org.apache.kafka..",
          "org.slf4j..");

  @ArchTest
  static final ArchRule spatial_sees_core_port_and_its_own_client_library =
      only(
          "spatial",
          JDK,
          "io.millrace.core..",
          "io.millrace.port..",
          "com.uber.h3core..",
          "io.vertx.core..",
          "io.vertx.sqlclient..",
          "io.vertx.pgclient..",
          "org.flywaydb..",
          "org.slf4j..");

  @ArchTest static final ArchRule writer_sees_no_adapter_and_no_other_verticle = verticle("writer");

  @ArchTest static final ArchRule relay_sees_no_adapter_and_no_other_verticle = verticle("relay");

  @ArchTest static final ArchRule inbox_sees_no_adapter_and_no_other_verticle = verticle("inbox");

  @ArchTest
  static final ArchRule maintenance_sees_no_adapter_and_no_other_verticle = verticle("maintenance");

  @ArchTest static final ArchRule admin_sees_no_adapter_and_no_other_verticle = verticle("admin");

  @ArchTest
  static final ArchRule cluster_sees_its_cluster_manager_and_no_adapter_and_no_verticle =
      only(
          "cluster",
          JDK,
          concat(
              LOGS_AND_METRICS,
              "io.millrace.core.config..",
              "io.millrace.client..",
              "io.vertx..",
              "com.hazelcast.."));

  @ArchTest
  static final ArchRule membership_is_a_room_that_all_verticles_share = verticle("membership");

  @ArchTest
  static final ArchRule schedule_is_a_room_that_all_verticles_share = verticle("schedule");

  @ArchTest
  static final ArchRule transaction_is_a_room_that_all_verticles_share = verticle("transaction");

  @ArchTest
  static final ArchRule only_the_launcher_sees_adapters =
      noClasses()
          .that(
              resideOutsideOfPackages(
                  "io.millrace.postgres..",
                  "io.millrace.kafka..",
                  "io.millrace.spatial..",
                  "io.millrace.launcher.."))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.millrace.postgres..", "io.millrace.kafka..", "io.millrace.spatial.."));

  @ArchTest
  static final ArchRule nobody_sees_the_launcher =
      noClasses()
          .that(resideOutsideOfPackages("io.millrace.launcher.."))
          .should()
          .dependOnClassesThat(resideInAPackage("io.millrace.launcher.."));

  @ArchTest
  static final ArchRule names_say_what_a_class_does =
      classes()
          .should()
          .haveNameNotMatching(".*(Manager|Helper|Util|Utils|Impl|Abstract)($|\\$.*)")
          .andShould()
          .haveNameNotMatching(".*[.$]Abstract[A-Z].*");

  @ArchTest
  static final ArchRule packages_have_no_cycles =
      slices().assignedFrom(new ByPackage()).should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nobody_sleeps =
      noClasses().should().callMethod(Thread.class, "sleep", long.class);

  @ArchTest
  static final ArchRule nobody_uses_the_timers_of_the_jdk =
      noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.util.Timer");

  @ArchTest
  static final ArchRule loops_arm_one_shot_timers =
      noClasses()
          .should()
          .callMethodWhere(
              JavaCall.Predicates.target(
                  HasName.Predicates.nameMatching("setPeriodic|periodicStream")));

  private static ArchRule verticle(String room) {
    return only(
        room,
        JDK,
        concat(
            SHARED_ROOMS,
            concat(
                LOGS_AND_METRICS,
                "io.millrace.core..",
                "io.millrace.port..",
                "io.millrace.client..",
                "io.vertx..")));
  }

  /** Of all there is, a room sees itself and these packages, and no others. */
  private static ArchRule only(String room, String[] base, String... more) {
    String own = "io.millrace." + room + "..";
    return classes()
        .that(resideInAPackage(own))
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage(concat(concat(base, more), own)));
  }

  private static String[] concat(String[] first, String... second) {
    String[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Each package is a slice of its own. */
  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      return javaClass.getPackageName().startsWith("io.millrace.")
          ? SliceIdentifier.of(javaClass.getPackageName())
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "every package";
    }
  }
}
