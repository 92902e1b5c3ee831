import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { chart } from "./tools.ts";

/** Names each value of values.yaml that the chart's README.md does not list; helm-docs makes the list. */
export async function findUnlistedValues(): Promise<string> {
  const values: unknown = parse(await readFile(join(chart, "values.yaml"), "utf8"));
  const readme = await readFile(join(chart, "README.md"), "utf8");
  const missing = unlisted(values, readme).map((path) => `charts/sonde/README.md does not list ${path}: run helm-docs`);
  return missing.join("\n");
}

/** @returns the paths of values that have no row, neither their own nor one of what they are in */
export function unlisted(values: unknown, readme: string, path = ""): string[] {
  if (path !== "" && readme.includes(`| ${path} |`)) return [];
  const isMap = typeof values === "object" && values !== null && !Array.isArray(values);
  const entries = isMap ? Object.entries(values) : [];
  if (entries.length === 0) return [path];
  return entries.flatMap(([key, value]) => unlisted(value, readme, path === "" ? key : `${path}.${key}`));
}
