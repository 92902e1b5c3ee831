import * as z from "zod";

/** The format of archives; one that a newer version wrote in another is refused. */
export const formatVersion = 1;
/** The last member: without it an archive is not whole. */
export const manifestName = "manifest.json";
/** The sealing key as it is in the data directory; where it was asked for, the first member. */
export const keyName = "secret-key";
/** Slices that one stream of zstd is cut into, in bytes: what is in memory at once. */
export const sliceBytes = 8 * 2 ** 20;
/** A manifest lists a few hundred parts. */
export const maxManifestBytes = 64 * 2 ** 20;

const count = z.int().nonnegative();
/** Rows of one table or of one of its partitions, in members `<name>.00000`, `<name>.00001` … that are one stream of zstd. */
const part = z.object({
  name: z.string().max(300),
  /** Two numbers where rows came while it was read. */
  rows: z.object({ atLeast: count, atMost: count }),
  /** In hexadecimal, of each member in order. */
  slices: z.array(z.object({ bytes: count.max(sliceBytes), sha256: z.string().length(64) })),
});
export type Part = z.output<typeof part>;

const table = z.object({
  name: z.string().max(63),
  columns: z.array(z.string().max(63)),
  /** Of a table that is partitioned by range: its partitions' names, and their bounds as PostgreSQL writes them. */
  partitions: z.array(z.object({ name: z.string().max(63), bound: z.string().max(300) })).default([]),
});
export type TableShape = z.output<typeof table>;

const schema = z.object({
  name: z.string().max(63),
  migrations: z.array(z.string().max(200)),
  tables: z.array(table),
  /** `null`: it gave no number yet. */
  sequences: z.array(
    z.object({
      name: z.string().max(63),
      last: z
        .string()
        .regex(/^-?\d+$/)
        .nullable(),
    }),
  ),
});
export type SchemaShape = z.output<typeof schema>;

export const shapes = ["all-in-one", "distributed"] as const;

/** What an archive says of itself. */
export const manifestSchema = z.object({
  format: z.literal(formatVersion),
  /** The version of Sonde that wrote it. */
  version: z
    .string()
    .max(100)
    .regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.-]+)?$/),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  shape: z.enum(shapes),
  /** Recognize the sealing keys, and open nothing; none where the backup did not know them. */
  keyFingerprints: z.array(z.string().max(100)).max(100),
  /** SHA-256 of the member with the sealing key, where there is one. */
  keySha256: z.string().length(64).optional(),
  schemas: z.array(schema),
  history: z.object({ migrations: z.array(z.string().max(200)) }),
  parts: z.array(part),
});
export type Manifest = z.output<typeof manifestSchema>;

export const postgresPart = (schemaName: string, tableName: string): string =>
  `postgres/${schemaName}/${tableName}.copy.zst`;
export const historyPart = (tableName: string, partition: string): string =>
  `clickhouse/${tableName}/${partition}.native.zst`;
/** `clickhouse/checks/20261101.native.zst` → its table and its partition; undefined for another name. */
export function readHistoryName(name: string): { table: string; partition: string } | undefined {
  const [, tableName, partition] = /^clickhouse\/(\w+)\/([\w-]+)\.native\.zst$/.exec(name) ?? [];
  return tableName === undefined || partition === undefined ? undefined : { table: tableName, partition };
}
export const sliceName = (partName: string, index: number): string => `${partName}.${String(index).padStart(5, "0")}`;
