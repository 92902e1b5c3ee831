import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../steps.ts";
import { chart, render } from "./tools.ts";

/** Names each value of values.yaml that the chart's README.md does not list; helm-docs makes the list. */
export async function findUnlistedValues(): Promise<string> {
  const values: unknown = parse(await readFile(join(chart, "values.yaml"), "utf8"));
  const readme = await readFile(join(chart, "README.md"), "utf8");
  const missing = unlisted(values, readme).map((path) => `charts/sonde/README.md does not list ${path}: run helm-docs`);
  return missing.join("\n");
}

/** Names each `helm install` of the READMEs that the chart refuses unchanged. */
export async function findRefusedCommands(helm: string): Promise<string> {
  const faults: string[] = [];
  for (const path of ["README.md", "charts/sonde/README.md"]) {
    const commands = installsIn(await readFile(join(root, path), "utf8"));
    if (commands.length === 0) faults.push(`${path} does not say how the chart is installed`);
    for (const options of commands) {
      const { code, stderr } = await render(helm, options);
      if (code !== 0) faults.push(`${path}: helm install … ${options.join(" ")}\n${stderr.trim()}`);
    }
  }
  return faults.join("\n");
}

/** The options of each `helm install` of Sonde's chart in a text; those that `render` sets itself are left out. */
export const installsIn = (text: string): string[][] =>
  [...text.replaceAll(/\\\n */g, "").matchAll(/helm install sonde charts\/sonde((?: +[^\s`#]+)*)/g)].map(
    ([, options = ""]) =>
      options
        .replaceAll(/-n sonde|--create-namespace|--wait|--timeout \S+/g, "")
        .split(" ")
        .filter((word) => word !== ""),
  );

/** @returns the paths of values that have no row, neither their own nor one of what they are in */
export function unlisted(values: unknown, readme: string, path = ""): string[] {
  if (path !== "" && readme.includes(`| ${path} |`)) return [];
  const isMap = typeof values === "object" && values !== null && !Array.isArray(values);
  const entries = isMap ? Object.entries(values) : [];
  if (entries.length === 0) return [path];
  return entries.flatMap(([key, value]) => unlisted(value, readme, path === "" ? key : `${path}.${key}`));
}
