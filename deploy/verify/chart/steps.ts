import type { VerifyStep } from "../steps.ts";
import { findStaleGoldens } from "./golden.ts";
import { findRefusedCommands } from "./readme.ts";
import { findMissingRefusals, needed } from "./refusals.ts";
import { findInvalidResources } from "./schemas.ts";
import { chart, findProgram, runTool } from "./tools.ts";

/** The checks of the chart. A step reports those that are skipped because helm or kubeconform is missing. */
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
  run: () => Promise.resolve({ skipped: `${name} is not here (npm run verify -- --fetch-helm builds it with Go)` }),
});

const withHelm = (helm: string): VerifyStep[] => [
  { name: "chart: lint", run: () => lint(helm) },
  { name: "chart: renders are as in golden", run: () => findStaleGoldens(helm) },
  { name: "chart: values that cannot work are refused", run: () => findMissingRefusals(helm) },
  { name: "chart: the commands of the READMEs install it", run: () => findRefusedCommands(helm) },
];

async function lint(helm: string): Promise<string> {
  const { code, stdout, stderr } = await runTool(helm, ["lint", "--strict", chart, ...needed]);
  return code === 0 ? "" : (stdout + stderr).trim();
}
