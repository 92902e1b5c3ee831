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

const madeOf = "# Generated from proto/permissions.ts by `npm run generate:chart`.";

/** A user for each location; and runners of the version before, which run until their pods are replaced. */
const ofChart = {
  location: "{{ . }}",
  before: "{{- range .locations }}\n",
  after: "\n{{- end }}",
  variable: "NATS_PASSWORD_PROBE_RUNNER_{{ . }}",
  withPrevious: true,
};
/** Compose has one location: the container writes it in. */
const ofCompose = { location: "LOCATION", variable: "NATS_PASSWORD_PROBE_RUNNER" };

const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

/** The files that are made from the code, wholly or in parts, by their paths in the repository. */
export async function chartFiles(list?: readonly ServiceFacts[]): Promise<Map<string, string>> {
  const services = list ?? (await readServices());
  const inParts = async (path: string, parts: Readonly<Record<string, string>>): Promise<[string, string]> => [
    path,
    withParts(await read(path), parts),
  ];
  // No template of the chart sees values.yaml as it is.
  const defaults: unknown = parse(await read("charts/sonde/values.yaml"));
  return new Map([
    ["charts/sonde/files/nats-users.conf", `${madeOf}\n${authorizationFromEnvironment(ofChart)}`],
    ["deploy/compose/nats-users.conf", `${madeOf}\n${authorizationFromEnvironment(ofCompose)}`],
    ["charts/sonde/files/defaults.json", `${JSON.stringify(defaults)}\n`],
    ["charts/sonde/files/services.yaml", chartServices(services)],
    ["services/gateway/src/apply/own-variables.ts", ownVariables(services)],
    await inParts("charts/sonde/files/alerts.yaml", { "each service": absentAlert(services) }),
    await inParts("deploy/compose/distributed.yaml", composeParts(services)),
    await inParts("deploy/docker/docker-bake.hcl", { images: bakeImages(services, programs) }),
    await inParts("skaffold.yaml", { images: skaffoldImages(services) }),
  ]);
}

/** The settings that a mounted folder may not read. */
function ownVariables(list: readonly ServiceFacts[]): string {
  const names = new Set([...list.flatMap(({ variables }) => variables), ...variablesOf(discoverySchema)]);
  const lines = [...names].toSorted().map((name) => `  "${name}",\n`);
  const head = "// Generated from the variables that each service reads, by `npm run generate:chart`.\n";
  return `${head}export const ownVariables = [\n${lines.join("")}] as const;\n`;
}

/** Names each of these files that differs from the code, and each variable that none of them has. */
export async function findStaleChartFiles(): Promise<string> {
  const services = await readServices();
  const faults = findUnknownVariables(services);
  for (const [path, text] of await chartFiles(services)) {
    const committed = await read(path).catch(() => "");
    if (committed !== text) faults.push(`${path} is not current: run npm run generate:chart`);
  }
  return faults.join("\n");
}

// `npm run generate:chart` writes them, and the renders of the chart's examples.
if (import.meta.main) {
  for (const [path, text] of await chartFiles()) await writeFile(join(root, path), text);
  const helm = await findProgram("helm");
  if (helm !== null) await writeGoldens(helm);
  else console.warn("charts/sonde/golden is unchanged: it needs helm (npm run verify -- --fetch-helm)");
}
