import { join } from "node:path";
import { findOtherVersions } from "../release/versions.ts";
import { root, runSteps, type VerifyStep, tool, systemTool } from "./steps.ts";
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
import { findTextErrors } from "./words.ts";

const atOnce = 2;
/** Ignored by git. The gateway serves another folder. */
const docsDraft = join(root, "docs/.vitepress/.dist-verify");

if (process.argv.includes("--fetch-helm")) await fetchTools();

// Slow steps first, so that short ones fill the gaps.
const steps: VerifyStep[] = [
  { name: "lint", run: tool(["oxlint", "--deny-warnings"]) },
  { name: "types", run: tool(["tsc", "-p", "tsconfig.json", "--noEmit"]) },
  { name: "types of the web app", run: tool(["tsc", "-p", "web/tsconfig.json", "--noEmit"]) },
  { name: "size budget of the first page (P16)", run: tool(["node", "dev/measure.ts"], "web") },
  {
    name: "documentation builds without dead links",
    run: tool(["vitepress", "build", "docs", "--outDir", docsDraft]),
  },
  ...(await chartSteps()),
  { name: "generated code is current", run: findStaleCode },
  { name: "files of chart, Compose and Skaffold are current", run: findStaleChartFiles },
  {
    name: "alert rules (promtool)",
    run: systemTool(["promtool", "test", "rules", "deploy/verify/alerts.test.yaml"]),
  },
  { name: "contracts (buf lint)", run: tool(["buf", "lint"], "proto") },
  { name: "format", run: tool(["oxfmt", "--check"]) },
  { name: "texts of the web app", run: findTextErrors },
  { name: "migrations do not break the previous version", run: findUnsafeMigrations },
  { name: "names of exported types are unique", run: findSharedTypeNames },
  { name: "plain words", run: findDialect },
  { name: "paths in the docs", run: findDeadPaths },
  { name: "commands in the docs are run or excused", run: findUnmarkedCommands },
  { name: "every variable is in docs/configuration.md", run: findUnexplainedVariables },
  { name: "one version everywhere", run: () => findOtherVersions(root) },
  { name: "lock file contains no host", run: findHosts },
];

process.exit((await runSteps(steps, atOnce)) ? 0 : 1);
