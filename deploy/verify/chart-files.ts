import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { authorizationFromEnvironment } from "@sonde/kit/bus/nats-users";
import { parse } from "yaml";
import { variablesOf } from "@sonde/kit/service/config";
import { schema as discoverySchema } from "../../services/discovery/src/config.ts";
import { writeGoldens } from "./chart/golden.ts";
import { findProgram } from "./chart/tools.ts";
import { programs } from "../docker/src/programs.ts";
import {
  absentAlert,
  bakeImages,
  chartServices,
  composeParts,
  findUnknownVariables,
  readServices,
  type ServiceFacts,
  skaffoldImages,
  withParts,
} from "./service-files.ts";
import { root } from "./steps.ts";

const generatedNote = "# Generated from proto/permissions.ts by `npm run generate:chart`.";

/** A user per location, and one for runners of the previous version, which run until their pods are replaced. */
const chartUsers = {
  location: "{{ . }}",
  before: "{{- range .locations }}\n",
  after: "\n{{- end }}",
  variable: "NATS_PASSWORD_PROBE_RUNNER_{{ . }}",
  callout: { before: "{{- if .callout }}\n", after: "{{- end }}\n" },
  withPrevious: true,
};
/** Compose has one location, which the container inserts. */
const composeUsers = { location: "LOCATION", variable: "NATS_PASSWORD_PROBE_RUNNER", callout: {} };

const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

/** Returns the files that are partly or fully generated from code, by path in the repository. */
export async function chartFiles(list?: readonly ServiceFacts[]): Promise<Map<string, string>> {
  const services = list ?? (await readServices());
  const withGeneratedParts = async (
    path: string,
    parts: Readonly<Record<string, string>>,
  ): Promise<[string, string]> => [path, withParts(await read(path), parts)];
  // Templates need the defaults of values.yaml, but see only the merged values.
  const defaults: unknown = parse(await read("charts/sonde/values.yaml"));
  return new Map([
    ["charts/sonde/files/nats-users.conf", `${generatedNote}\n${authorizationFromEnvironment(chartUsers)}`],
    ["deploy/compose/nats-users.conf", `${generatedNote}\n${authorizationFromEnvironment(composeUsers)}`],
    ["charts/sonde/files/defaults.json", `${JSON.stringify(defaults)}\n`],
    ["charts/sonde/files/services.yaml", chartServices(services)],
    ["services/gateway/src/apply/own-variables.ts", ownVariables(services)],
    await withGeneratedParts("charts/sonde/files/alerts.yaml", { "each service": absentAlert(services) }),
    await withGeneratedParts("deploy/compose/distributed.yaml", composeParts(services)),
    await withGeneratedParts("deploy/docker/docker-bake.hcl", { images: bakeImages(services, programs) }),
    await withGeneratedParts("skaffold.yaml", { images: skaffoldImages(services) }),
  ]);
}

/** Variables of Sonde itself, which mounted configuration must not read. */
function ownVariables(list: readonly ServiceFacts[]): string {
  const names = new Set([...list.flatMap(({ variables }) => variables), ...variablesOf(discoverySchema)]);
  const lines = [...names].toSorted().map((name) => `  "${name}",\n`);
  const head = "// Generated from the variables that each service reads, by `npm run generate:chart`.\n";
  return `${head}export const ownVariables = [\n${lines.join("")}] as const;\n`;
}

export async function findStaleChartFiles(): Promise<string> {
  const services = await readServices();
  const errors = findUnknownVariables(services);
  for (const [path, text] of await chartFiles(services)) {
    const committed = await read(path).catch(() => "");
    if (committed !== text) errors.push(`${path} is outdated: run npm run generate:chart`);
  }
  return errors.join("\n");
}

// `npm run generate:chart` also renders the chart's examples.
if (import.meta.main) {
  for (const [path, text] of await chartFiles()) await writeFile(join(root, path), text);
  const helm = await findProgram("helm");
  if (helm !== null) await writeGoldens(helm);
  else console.warn("charts/sonde/golden is unchanged: it needs helm (npm run verify -- --fetch-helm)");
}
