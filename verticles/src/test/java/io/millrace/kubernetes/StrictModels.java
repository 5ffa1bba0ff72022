package io.millrace.kubernetes;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.Map;
import java.util.Optional;

/** Reads objects into the classes of their kinds, and takes no field that a kind does not have. */
final class StrictModels {
  private static final Map<String, Class<?>> KINDS =
      Map.ofEntries(
          Map.entry("v1/ConfigMap", ConfigMap.class),
          Map.entry("v1/Namespace", Namespace.class),
          Map.entry("v1/Secret", Secret.class),
          Map.entry("v1/Service", Service.class),
          Map.entry("v1/ServiceAccount", ServiceAccount.class),
          Map.entry("apps/v1/Deployment", Deployment.class),
          Map.entry("autoscaling/v2/HorizontalPodAutoscaler", HorizontalPodAutoscaler.class),
          Map.entry("batch/v1/Job", Job.class),
          Map.entry("networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class),
          Map.entry("policy/v1/PodDisruptionBudget", PodDisruptionBudget.class),
          Map.entry("monitoring.coreos.com/v1/PrometheusRule", PrometheusRule.class),
          Map.entry("monitoring.coreos.com/v1/ServiceMonitor", ServiceMonitor.class));

  private final ObjectMapper mapper =
      JsonMapper.builder()
          .annotationIntrospector(new NoRest())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  /** The classes keep what they do not know; here that is the problem that is looked for. */
  private static final class NoRest extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(Annotated member) {
      return false;
    }
  }

  /** What is wrong with an object, if anything. */
  Optional<String> problem(Map<String, Object> object) {
    String kind = object.get("apiVersion") + "/" + object.get("kind");
    Class<?> model = KINDS.get(kind);
    if (model == null) {
      return Optional.of("an object of the kind " + kind + ", which is not known here");
    }
    try {
      mapper.convertValue(object, model);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      String place =
          e.getCause() instanceof JsonMappingException mapping ? mapping.getPathReference() : "";
      return Optional.of(kind + " " + Manifests.name(object) + ": " + e.getMessage() + place);
    }
  }
}
