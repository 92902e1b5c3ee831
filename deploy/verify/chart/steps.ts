import type { VerifyStep } from "../steps.ts";
import { findStaleGoldens } from "./golden.ts";
import { findRefusedCommands, findUnlistedValues } from "./readme.ts";
import { findMissingRefusals, needed } from "./refusals.ts";
import { findInvalidResources } from "./schemas.ts";
import { chart, findProgram, runProgram } from "./tools.ts";

/** The checks of the chart. Without helm or kubeconform one step reports that. */
export async function chartSteps(): Promise<VerifyStep[]> {
  const [helm, kubeconform] = [await findProgram("helm"), await findProgram("kubeconform")];
  const always: VerifyStep[] = [{ name: "chart: every value is in its README.md", run: findUnlistedValues }];
  const missing = [helm ?? "helm", kubeconform ?? "kubeconform"].filter((name) => !name.includes("/"));
  if (missing.length > 0) {
    const name = `chart: skipped what needs ${missing.join(" and ")} (npm run verify -- --fetch-helm builds them where Go is)`;
    always.push({ name, run: () => Promise.resolve("") });
  }
  return [
    ...(helm === null ? [] : withHelm(helm)),
    ...(helm === null || kubeconform === null
      ? []
      : [{ name: "chart: resources are valid (kubeconform)", run: () => findInvalidResources(kubeconform) }]),
    ...always,
  ];
}

const withHelm = (helm: string): VerifyStep[] => [
  { name: "chart: lint", run: () => lint(helm) },
  { name: "chart: renders are as in golden", run: () => findStaleGoldens(helm) },
  { name: "chart: values that cannot work are refused", run: () => findMissingRefusals(helm) },
  { name: "chart: the commands of the READMEs install it", run: () => findRefusedCommands(helm) },
];

async function lint(helm: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(helm, ["lint", "--strict", chart, ...needed]);
  return code === 0 ? "" : (stdout + stderr).trim();
}
