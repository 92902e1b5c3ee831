import { StartupError } from "@sonde/kit/service/startup-error";
import { type HistoryTarget, knownMigrations } from "@sonde/metrics/backup/target";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import own from "../package.json" with { type: "json" };
import { type Manifest, type Part, readHistoryName } from "./archive/manifest.ts";
import { newer, readParts, verifyArchive } from "./archive/read.ts";
import { checkKey, type RestoreKeys } from "./key.ts";
import { type OwnerUrls, filledSchemas, hasMigrations, importSchema, type SchemaImport } from "./postgres/import.ts";

export type CheckedArchive = {
  file: string;
  manifest: Manifest;
  key: string | undefined;
};

/** Writes nothing. @throws StartupError if the archive is invalid, or this version cannot restore it with these keys */
export async function checkArchive(file: string, keys: RestoreKeys): Promise<CheckedArchive> {
  const { manifest, key } = await verifyArchive(file);
  const available = new Set(await knownMigrations());
  const isSupported =
    !isNewer(manifest.version, own.version) &&
    (await hasMigrations(manifest)) &&
    manifest.history.migrations.every((name) => available.has(name));
  if (!isSupported) throw newer(file, manifest.version);
  checkKey(manifest, keys, key);
  return { file, manifest, key };
}

/** Compares releases; `1.1.0-rc.1` counts as 1.1.0. */
function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(/[.-]/, 3).map(Number));
  const at = a!.findIndex((number, index) => number !== b![index]);
  return at >= 0 && a![at]! > b![at]!;
}

/** @throws StartupError if the installation already has tables */
export async function checkEmpty(urls: OwnerUrls, history: HistoryTarget): Promise<void> {
  const filled = await filledSchemas(urls);
  if (filled.length > 0) {
    throw new StartupError(
      `A restore requires an empty installation, but PostgreSQL already has tables of ${filled.join(", ")}. Nothing was restored.`,
    );
  }
  if (!(await history.isEmpty())) {
    throw new StartupError(
      "A restore requires an empty installation, but ClickHouse already has tables. Nothing was restored.",
    );
  }
}

export type Restored = { rows: number; historyRows: number };

/** The installation must be empty and stopped. @throws StartupError if the number of rows differs from the backup's */
export async function restore(
  { file, manifest }: CheckedArchive,
  urls: OwnerUrls,
  history: HistoryTarget,
): Promise<Restored> {
  const schemas = new Map<string, SchemaImport>();
  const counts = new Map<string, number>();
  try {
    for (const service of databaseServices) {
      const shape = manifest.schemas.find(({ name }) => name === schemaOf(service));
      if (shape !== undefined) schemas.set(shape.name, await importSchema(service, urls[service], shape));
    }
    await history.prepare(manifest.history.migrations);
    for await (const part of readParts(file, manifest)) {
      const piece = readHistoryName(part.name);
      if (piece !== undefined) {
        // Archives of earlier versions may contain parts whose rows were all deleted.
        if (part.rows.atMost > 0) await history.write(piece, part.body);
        else for await (const slice of part.body) void slice;
        continue;
      }
      const schema = schemas.get(part.name.split("/")[1] ?? "");
      if (schema === undefined) throw new Error(`${part.name} belongs to no schema`);
      await schema.write(part);
    }
    for (const [name, schema] of schemas) {
      for (const [part, rows] of await schema.finish()) counts.set(part, rows);
      schemas.delete(name);
    }
    await history.finish();
  } finally {
    await Promise.allSettled([...schemas.values()].map((schema) => schema.abort()));
  }
  for (const { name } of manifest.parts) {
    const piece = readHistoryName(name);
    if (piece !== undefined) counts.set(name, await history.count(piece));
  }
  return compare(manifest.parts, counts);
}

function compare(parts: readonly Part[], counts: ReadonlyMap<string, number>): Restored {
  const errors: string[] = [];
  const restored = { rows: 0, historyRows: 0 };
  for (const { name, rows } of parts) {
    const count = counts.get(name) ?? 0;
    if (count < rows.atLeast || count > rows.atMost) errors.push(`${name}: ${count} of ${rows.atLeast} rows`);
    if (readHistoryName(name) === undefined) restored.rows += count;
    else restored.historyRows += count;
  }
  if (errors.length > 0) {
    throw new StartupError(`The restore is incomplete; do not use this installation:\n  ${errors.join("\n  ")}`);
  }
  return restored;
}
