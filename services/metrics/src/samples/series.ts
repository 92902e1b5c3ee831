import type { Disk, NetworkInterface, Sample } from "@sonde/proto/gen/agents/v1/samples";

/** Where a figure of `From` is stored: its column of `samples`, how many of the stored unit make one, and the most. */
export type StoredMetric<From> = {
  column: string;
  scale: number;
  max: number;
  /** Undefined: not known. */
  read: (from: From) => number | undefined;
};

const percent = { scale: 100, max: 10_000 };
const load = { scale: 100, max: 0xffffffff };
/** Up to 100 TB/s; an hour of such rates still adds up within 64 bits. */
const rate = { scale: 1, max: 1e14 };

/** What a sample measures, each a series over time. One line a metric; its column comes by a migration. */
const hostMetrics = {
  cpu: { column: "cpu", ...percent, read: ({ cpu }) => cpu?.usage },
  memory: { column: "memory", ...percent, read: ({ memory }) => memory?.usage },
  loadOne: { column: "load_one", ...load, read: (sample) => sample.load?.one },
  loadFive: { column: "load_five", ...load, read: (sample) => sample.load?.five },
  loadFifteen: { column: "load_fifteen", ...load, read: (sample) => sample.load?.fifteen },
} satisfies Record<string, StoredMetric<Sample>>;

/** A series for each mount point. */
const diskMetrics = {
  disk: { column: "disk_usage", ...percent, read: ({ usage }) => usage },
  inodes: {
    column: "disk_inodes",
    ...percent,
    read: ({ inodesTotal, inodesUsed }) =>
      inodesTotal && inodesUsed !== undefined ? (inodesUsed / inodesTotal) * 100 : undefined,
  },
} satisfies Record<string, StoredMetric<Disk>>;

/** A series for each interface. */
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
/** Those that hold figures, each list behind the names that it belongs to. */
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

/**
 * Samples as rows `s` of one value each (`agent_id`, `at`, `metric`, `name`, `value`), each sample once; an unknown value
 * is NULL. `where` narrows by the columns of `samples`. Constant text: what comes from outside is a bound parameter.
 */
export const seriesSql = (where: string) => `(
  SELECT agent_id, at, tupleElement(entry, 1) AS metric, tupleElement(entry, 2) AS name, tupleElement(entry, 3) AS value
  FROM (SELECT agent_id, at, ${figureColumns.join(", ")} FROM samples FINAL WHERE ${where})
  ARRAY JOIN arrayConcat(
    [${hostEntries.join(", ")}],
    ${[...listEntries(diskMetrics, "disks"), ...listEntries(interfaceMetrics, "interfaces")].join(",\n    ")}) AS entry) AS s`;

/** Bounds on `at`, so that days and key ranges outside are not read. */
export const atRange = "at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}";
