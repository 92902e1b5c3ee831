import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { variablesOf } from "@sonde/kit/service/config";
import { loadConfigModule } from "@sonde/local/supervisor/processes";
import { serviceNames } from "@sonde/proto/services";
import { root } from "./steps.ts";

/** What `npm start` alone sets. */
const internal = new Set(["SONDE_LOCAL", "SONDE_SOLE_RUNNER"]);

/** Names every variable that a service reads and README.md does not explain. */
export async function findUnexplainedVariables(): Promise<string> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const services = await Promise.all(
    serviceNames.map(async (service) => ({ service, names: variablesOf((await loadConfigModule(service)).schema) })),
  );
  const faults = services.flatMap(({ service, names }) =>
    names
      .filter((name) => !internal.has(name) && !readme.includes(`\`${name}\``))
      .map((name) => `README.md does not explain ${name}, which services/${service} reads`),
  );
  return faults.join("\n");
}
