import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceNames } from "@sonde/proto/services";
import { root } from "./steps.ts";

/** Last exempt migration of each service, from when upgrades stopped everything. */
const lastExempt: Readonly<Record<string, string>> = {
  "agent-ingest": "007",
  auth: "001",
  metrics: "006",
  monitors: "007",
  notifier: "002",
  "status-page": "001",
};

/** Changes that break the previous version, whose replicas are still running: SQL and Knex methods. */
const breakingChanges: readonly [pattern: RegExp, what: string][] = [
  [/\bdrop\s+(?:table|column|schema|view|sequence|type)\b/i, "drops something that the previous version may still use"],
  [
    /\.(?:dropTable|dropTableIfExists|dropColumns?|dropSchema|dropView)\(/,
    "drops something that the previous version may still use",
  ],
  [
    /\brename\s+(?:to|column|table)\b|\.rename(?:Table|Column|View)?\(/i,
    "renames something that the previous version uses",
  ],
  [/\bset\s+not\s+null\b|\.dropNullable\(/i, "requires a value that the previous version may not write"],
  [
    // A new compression codec in ClickHouse does not change the type.
    /\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b|\bmodify\s+column\s+(?!\w+\s+codec\b)/i,
    "changes a type that the previous version reads",
  ],
  [
    /\badd\s+column\s+(?:if\s+not\s+exists\s+)?\S+(?![^,;]*\b(?:default|generated)\b)[^,;]*\bnot\s+null\b/i,
    "adds a required column that the previous version does not write",
  ],
];

/** `-- unused since 0.2.0` in a migration states that the previous version does not use the removed object. */
const unusedSince = /unused since \d+\.\d+\.\d+/;

/** Returns why the migration breaks running replicas of the previous version; null if it does not. */
export function migrationProblem(text: string): string | null {
  if (unusedSince.test(text)) return null;
  return breakingChanges.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

export async function findUnsafeMigrations(): Promise<string> {
  const errors: string[] = [];
  for (const service of serviceNames) {
    const folder = join(root, "services", service, "migrations");
    const files = await readdir(folder).catch(() => []);
    for (const file of files.filter((name) => name === "index.ts" || name.slice(0, 3) > (lastExempt[service] ?? ""))) {
      const problem = migrationProblem(await readFile(join(folder, file), "utf8"));
      if (problem !== null)
        errors.push(`services/${service}/migrations/${file} ${problem} (CONTRIBUTING.md, Migrations)`);
    }
  }
  return errors.join("\n");
}
