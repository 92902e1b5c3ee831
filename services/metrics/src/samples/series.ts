import type { Disk, NetworkInterface, Sample } from "@sonde/proto/gen/agents/v1/samples";

/** How a figure is stored: its column in `samples`, stored units per unit, and maximum. */
export type StoredMetric<From> = {
  column: string;
  scale: number;
  max: number;
  read: (from: From) => number | undefined;
};

const percent = { scale: 100, max: 10_000 };
const load = { scale: 100, max: 0xffffffff };
// Up to 100 TB/s; an hour of such rates still adds up within 64 bits.
const rate = { scale: 1, max: 1e14 };

/** Metrics of a sample, one line each. Their columns are created by migrations. */
const hostMetrics = {
  cpu: { column: "cpu", ...percent, read: ({ cpu }) => cpu?.usage },
  memory: { column: "memory", ...percent, read: ({ memory }) => memory?.usage },
  loadOne: { column: "load_one", ...load, read: (sample) => sample.load?.one },
  loadFive: { column: "load_five", ...load, read: (sample) => sample.load?.five },
  loadFifteen: { column: "load_fifteen", ...load, read: (sample) => sample.load?.fifteen },
} satisfies Record<string, StoredMetric<Sample>>;

const diskMetrics = {
  disk: { column: "disk_usage", ...percent, read: ({ usage }) => usage },
  inodes: {
    column: "disk_inodes",
    ...percent,
    read: ({ inodesTotal, inodesUsed }) =>
      inodesTotal && inodesUsed !== undefined ? (inodesUsed / inodesTotal) * 100 : undefined,
  },
} satisfies Record<string, StoredMetric<Disk>>;

const interfaceMetrics = {
  receive: { column: "receive_rate", ...rate, read: ({ receiveRate }) => receiveRate },
  send: { column: "send_rate", ...rate, read: ({ sendRate }) => sendRate },
} satisfies Record<string, StoredMetric<NetworkInterface>>;

export const storedMetrics = { ...hostMetrics, ...diskMetrics, ...interfaceMetrics };
export type StoredMetricName = keyof typeof storedMetrics;

export const ofHost: readonly StoredMetric<Sample>[] = Object.values(hostMetrics);
export const ofDisks: readonly StoredMetric<Disk>[] = Object.values(diskMetrics);
export const ofInterfaces: readonly StoredMetric<NetworkInterface>[] = Object.values(interfaceMetrics);

const columnsOf = (table: readonly { column: string }[]) => table.map(({ column }) => column);
/** Figure columns; per-name lists follow the list of their names. */
export const figureColumns = [
  ...columnsOf(ofHost),
  "disks",
  ...columnsOf(ofDisks),
  "interfaces",
  ...columnsOf(ofInterfaces),
];

const wide = (column: string) => `CAST(${column}, 'Nullable(UInt64)')`;
const hostEntries = Object.entries(hostMetrics).map(([metric, { column }]) => `('${metric}', '', ${wide(column)})`);
const listEntries = (metrics: Record<string, { column: string }>, names: string) =>
  Object.entries(metrics).map(
    ([metric, { column }]) =>
      `arrayMap((name, value) -> ('${metric}', toString(name), ${wide("value")}), ${names}, ${column})`,
  );

/** Deduplicated samples as rows `s` (`agent_id`, `at`, `metric`, `name`, `value`); unknown values are NULL. */
export const seriesSql = (where: string) => `(
  SELECT agent_id, at, tupleElement(entry, 1) AS metric, tupleElement(entry, 2) AS name, tupleElement(entry, 3) AS value
  FROM (SELECT agent_id, at, ${figureColumns.join(", ")} FROM samples FINAL WHERE ${where})
  ARRAY JOIN arrayConcat(
    [${hostEntries.join(", ")}],
    ${[...listEntries(diskMetrics, "disks"), ...listEntries(interfaceMetrics, "interfaces")].join(",\n    ")}) AS entry) AS s`;

/** Bounds on `at`, which avoid reading other days and key ranges. */
export const atRange = "at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}";
