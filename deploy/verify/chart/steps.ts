import type { VerifyStep } from "../steps.ts";
import { findStaleGoldens } from "./golden.ts";
import { findFailingCommands } from "./readme.ts";
import { findMissingRefusals, requiredOptions } from "./refusals.ts";
import { findInvalidResources } from "./schemas.ts";
import { chart, findProgram, runTool } from "./tools.ts";

export async function chartSteps(): Promise<VerifyStep[]> {
  const [helm, kubeconform] = [await findProgram("helm"), await findProgram("kubeconform")];
  return [
    ...(helm === null ? [missing("helm")] : withHelm(helm)),
    ...(kubeconform === null ? [missing("kubeconform")] : []),
    ...(helm === null || kubeconform === null
      ? []
      : [{ name: "chart: resources are valid (kubeconform)", run: () => findInvalidResources(kubeconform) }]),
  ];
}

const missing = (name: string): VerifyStep => ({
  name: `chart: checks that need ${name}`,
  run: () =>
    Promise.resolve({ skipped: `${name} is not installed (npm run verify -- --fetch-helm builds it with Go)` }),
});

const withHelm = (helm: string): VerifyStep[] => [
  { name: "chart: lint", run: () => lint(helm) },
  { name: "chart: golden renders are current", run: () => findStaleGoldens(helm) },
  { name: "chart: invalid values are rejected", run: () => findMissingRefusals(helm) },
  { name: "chart: install commands of the READMEs work", run: () => findFailingCommands(helm) },
];

async function lint(helm: string): Promise<string> {
  const { code, stdout, stderr } = await runTool(helm, ["lint", "--strict", chart, ...requiredOptions]);
  return code === 0 ? "" : (stdout + stderr).trim();
}
