import { join } from "node:path";
import { findOtherVersions } from "../release/versions.ts";
import { root, runSteps, type VerifyStep, tool, toolOfMachine } from "./steps.ts";
import { fetchTools } from "./chart/fetch.ts";
import { chartSteps } from "./chart/steps.ts";
import { findDialect } from "./dialect.ts";
import { findUnmarkedCommands } from "./docs/commands.ts";
import { findDeadPaths } from "./docs/paths.ts";
import { findStaleChartFiles } from "./chart-files.ts";
import { findStaleCode } from "./generated.ts";
import { findHosts } from "./lock-hosts.ts";
import { findSharedTypeNames } from "./type-names.ts";
import { findUnexplainedVariables } from "./variables.ts";
import { findUnsafeMigrations } from "./migrations.ts";
import { findFaultyWords } from "./words.ts";

const atOnce = 2;
/** Ignored by git, and not what the gateway serves. */
const docsDraft = join(root, "docs/.vitepress/.dist-verify");

if (process.argv.includes("--fetch-helm")) await fetchTools();

// The slow ones first, so that the short ones fill the gaps.
const steps: VerifyStep[] = [
  { name: "lint", run: tool(["oxlint", "--deny-warnings"]) },
  { name: "types", run: tool(["tsc", "-p", "tsconfig.json", "--noEmit"]) },
  { name: "types of the web app", run: tool(["tsc", "-p", "web/tsconfig.json", "--noEmit"]) },
  { name: "first page's budget (P16)", run: tool(["node", "dev/measure.ts"], "web") },
  {
    name: "the documentation builds, without dead links",
    run: tool(["vitepress", "build", "docs", "--outDir", docsDraft]),
  },
  ...(await chartSteps()),
  { name: "generated code is current", run: findStaleCode },
  { name: "files of chart, Compose and Skaffold are current", run: findStaleChartFiles },
  {
    name: "alert rules (promtool)",
    run: toolOfMachine(["promtool", "test", "rules", "deploy/verify/alerts.test.yaml"]),
  },
  { name: "contracts (buf lint)", run: tool(["buf", "lint"], "proto") },
  { name: "format", run: tool(["oxfmt", "--check"]) },
  { name: "words of the web app", run: findFaultyWords },
  { name: "migrations leave the version before its work", run: findUnsafeMigrations },
  { name: "names of exported types are unique", run: findSharedTypeNames },
  { name: "plain words", run: findDialect },
  { name: "paths in the docs", run: findDeadPaths },
  { name: "commands in the docs are run, or say why not", run: findUnmarkedCommands },
  { name: "every variable is in docs/configuration.md", run: findUnexplainedVariables },
  { name: "one version everywhere", run: () => findOtherVersions(root) },
  { name: "lock file names no host", run: findHosts },
];

process.exit((await runSteps(steps, atOnce)) ? 0 : 1);
