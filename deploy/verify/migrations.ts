import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceNames } from "@sonde/proto/services";
import { root } from "./steps.ts";

/** The newest migration of each service from when an upgrade still stopped everything; the rule holds for later ones. */
const before: Readonly<Record<string, string>> = {
  "agent-ingest": "007",
  auth: "001",
  metrics: "006",
  monitors: "007",
  notifier: "002",
  "status-page": "001",
};

/** What takes something from the version before, whose replicas still run: SQL, and Knex's names for it. */
const takes: readonly [pattern: RegExp, what: string][] = [
  [/\bdrop\s+(?:table|column|schema|view|sequence|type)\b/i, "drops what the version before may still use"],
  [
    /\.(?:dropTable|dropTableIfExists|dropColumns?|dropSchema|dropView)\(/,
    "drops what the version before may still use",
  ],
  [
    /\brename\s+(?:to|column|table)\b|\.rename(?:Table|Column|View)?\(/i,
    "renames what the version before knows by its name",
  ],
  [/\bset\s+not\s+null\b|\.dropNullable\(/i, "demands a value that the version before may not write"],
  [
    // How a column of ClickHouse is compressed is none of a reader's business: a new codec alone changes no type.
    /\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b|\bmodify\s+column\s+(?!\w+\s+codec\b)/i,
    "changes the type that the version before reads",
  ],
  [
    /\badd\s+column\s+(?:if\s+not\s+exists\s+)?\S+(?![^,;]*\b(?:default|generated)\b)[^,;]*\bnot\s+null\b/i,
    "adds a column that the version before does not fill in, and that has no default",
  ],
];

/** `-- unused since 0.2.0` in a migration: the version before does without what it takes. */
const unusedSince = /unused since \d+\.\d+\.\d+/;

/** Why replicas of the previous version could not continue beside this migration; null if they can. */
export function faultOfMigration(text: string): string | null {
  if (unusedSince.test(text)) return null;
  return takes.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Names each migration beside which replicas of the previous version could not continue. */
export async function findUnsafeMigrations(): Promise<string> {
  const faults: string[] = [];
  for (const service of serviceNames) {
    const folder = join(root, "services", service, "migrations");
    const files = await readdir(folder).catch(() => []);
    for (const file of files.filter((name) => name === "index.ts" || name.slice(0, 3) > (before[service] ?? ""))) {
      const fault = faultOfMigration(await readFile(join(folder, file), "utf8"));
      if (fault !== null) faults.push(`services/${service}/migrations/${file} ${fault} (CONTRIBUTING.md, Migrations)`);
    }
  }
  return faults.join("\n");
}
