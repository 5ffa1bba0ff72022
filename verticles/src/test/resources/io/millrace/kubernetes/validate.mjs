// Checks Kubernetes objects, a JSON array on standard input, against the schemas of their kinds: the types, and what
// must be there. Argument: a folder with node_modules. Prints a line a problem; none: all is well.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";


const packageOf = (apiVersion) =>
  apiVersion.startsWith("monitoring.coreos.com/") ? "@kubernetes-models/prometheus-operator" : "kubernetes-models";

for (const object of JSON.parse(readFileSync(0, "utf8"))) {
  const name = `${object.kind}/${object.metadata?.name}`;
  try {
    const file = `${process.argv[2]}/node_modules/${packageOf(object.apiVersion)}/${object.apiVersion}/${object.kind}.js`;
    const module = await import(pathToFileURL(file));
    new module[object.kind](object).validate();
  } catch (problem) {
    console.log(`${name}: ${problem.message}`);
  }
}
