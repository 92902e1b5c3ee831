import * as z from "zod";

export const formatVersion = 1;
/** Always the last member, so an archive without it was truncated. */
export const manifestName = "manifest.json";
/** The sealing key, as in the data directory. With `--with-key` it is the first member. */
export const keyName = "secret-key";
/** Maximum bytes of a zstd stream per member. A reader or writer holds one slice in memory. */
export const sliceBytes = 8 * 2 ** 20;
export const maxManifestBytes = 64 * 2 ** 20;

const count = z.int().nonnegative();
/** Rows of a table or partition. Its members `<name>.00000`, `<name>.00001` … form one zstd stream. */
const part = z.object({
  name: z.string().max(300),
  /** The bounds differ if rows were inserted during the read. */
  rows: z.object({ atLeast: count, atMost: count }),
  /** One per member, in order; hashes in hexadecimal. */
  slices: z.array(z.object({ bytes: count.max(sliceBytes), sha256: z.string().length(64) })),
});
export type Part = z.output<typeof part>;

const table = z.object({
  name: z.string().max(63),
  columns: z.array(z.string().max(63)),
  /** Range partitions, with their bounds as PostgreSQL prints them. */
  partitions: z.array(z.object({ name: z.string().max(63), bound: z.string().max(300) })).default([]),
});
export type TableShape = z.output<typeof table>;

const schema = z.object({
  name: z.string().max(63),
  migrations: z.array(z.string().max(200)),
  tables: z.array(table),
  /** `last` is `null` if the sequence was never used. */
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

export const manifestSchema = z.object({
  format: z.literal(formatVersion),
  version: z
    .string()
    .max(100)
    .regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.-]+)?$/),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  shape: z.enum(shapes),
  /** Hashes that identify the sealing keys. Empty if the backup had no key. */
  keyFingerprints: z.array(z.string().max(100)).max(100),
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
/** Parses `clickhouse/checks/20261101.native.zst`; returns undefined for names of another form. */
export function readHistoryName(name: string): { table: string; partition: string } | undefined {
  const [, tableName, partition] = /^clickhouse\/(\w+)\/([\w-]+)\.native\.zst$/.exec(name) ?? [];
  return tableName === undefined || partition === undefined ? undefined : { table: tableName, partition };
}
export const sliceName = (partName: string, index: number): string => `${partName}.${String(index).padStart(5, "0")}`;
