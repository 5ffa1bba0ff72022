package io.millrace.debezium;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Its jar goes into a Kafka Connect as it is. */
@AnalyzeClasses(
    packages = "io.millrace.debezium",
    importOptions = ImportOption.DoNotIncludeTests.class)
class HouseTest {
  @ArchTest
  static final ArchRule debezium_sees_the_jdk_and_kafka_connect_alone =
      classes()
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  "java..", "org.jspecify..", "org.apache.kafka..", "io.millrace.debezium.."));
}
