import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { variablesOf } from "@sonde/kit/service/config";
import { loadConfigModule } from "@sonde/local/supervisor/processes";
import { serviceNames } from "@sonde/proto/services";
import { root } from "./steps.ts";

/** Variables that only `npm start` sets. */
const internal = new Set(["SONDE_LOCAL", "SONDE_SOLE_RUNNER"]);

const pages = ["docs/configuration.md", "docs/zh-CN/configuration.md"];

export async function findUnexplainedVariables(): Promise<string> {
  const texts = await Promise.all(pages.map(async (page) => [page, await readFile(join(root, page), "utf8")] as const));
  const services = await Promise.all(
    serviceNames.map(async (service) => ({ service, names: variablesOf((await loadConfigModule(service)).schema) })),
  );
  const errors = services.flatMap(({ service, names }) =>
    texts.flatMap(([page, text]) =>
      names
        .filter((name) => !internal.has(name) && !text.includes(`\`${name}\``))
        .map((name) => `${page} does not explain ${name}, which services/${service} reads`),
    ),
  );
  return errors.join("\n");
}
