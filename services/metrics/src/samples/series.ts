/** What a sample measures, each a series over time; disks and network have one a mount point or interface. */
export const metrics = ["cpu", "memory", "loadOne", "loadFive", "loadFifteen", "disk", "receive", "send"] as const;
export type Metric = (typeof metrics)[number];

/** How many of a stored value make one of the unit that is told. */
export const scales: Record<Metric, number> = {
  cpu: 100,
  memory: 100,
  loadOne: 100,
  loadFive: 100,
  loadFifteen: 100,
  disk: 100,
  receive: 1,
  send: 1,
};

const wide = (column: string) => `CAST(${column}, 'Nullable(UInt64)')`;

/**
 * Samples as rows `s` of one value each (`agent_id`, `at`, `metric`, `name`, `value`), each sample once; an unknown value
 * is NULL. `where` narrows by the columns of `samples`. Constant text: what comes from outside is a bound parameter.
 */
export const seriesSql = (where: string) => `(
  SELECT agent_id, at, tupleElement(entry, 1) AS metric, tupleElement(entry, 2) AS name, tupleElement(entry, 3) AS value
  FROM (SELECT agent_id, at, cpu, memory, load_one, load_five, load_fifteen,
      disks, disk_usage, interfaces, receive_rate, send_rate FROM samples FINAL WHERE ${where})
  ARRAY JOIN arrayConcat(
    [('cpu', '', ${wide("cpu")}), ('memory', '', ${wide("memory")}), ('loadOne', '', ${wide("load_one")}),
      ('loadFive', '', ${wide("load_five")}), ('loadFifteen', '', ${wide("load_fifteen")})],
    arrayMap((name, value) -> ('disk', toString(name), ${wide("value")}), disks, disk_usage),
    arrayMap((name, value) -> ('receive', toString(name), value), interfaces, receive_rate),
    arrayMap((name, value) -> ('send', toString(name), value), interfaces, send_rate)) AS entry) AS s`;

/** Bounds on `at`, so that days and key ranges outside are not read. */
export const atRange = "at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}";
