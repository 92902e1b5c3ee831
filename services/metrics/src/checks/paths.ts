import type { ClickHouseClient } from "@clickhouse/client";
import type { Path } from "@sonde/proto/gen/checks/v1/checks";
import { type TracedPath, tracedPath } from "@sonde/proto/http/incidents/explanation";
import { rowsOf } from "../clickhouse/rows.ts";
import type { Context } from "../context.ts";

const columns = ["monitor_id", "at", "location", "address", "recovered", "hops"] as const;
export type PathRow = readonly [
  monitorId: number,
  atMs: number,
  location: string,
  address: string,
  recovered: boolean,
  hops: string,
];

/** Returns `undefined` for a path that the API could not return. */
export function toPathRow({ monitorId, tracedAtMs, slotMs, location, address, recovered, hops }: Path) {
  // The slot was validated on receipt, `tracedAtMs` was not.
  const atMs = Math.round(Math.min(Math.max(tracedAtMs, slotMs), slotMs + 3_600_000));
  const path = tracedPath.safeParse({
    at: new Date(atMs).toISOString(),
    location,
    address,
    recovered,
    hops: hops.map(({ ttl, address: hop, roundTripMs }) => ({ ttl, address: hop, roundTrip: roundTripMs })),
  }).data;
  return path && ([monitorId, atMs, location, address, recovered, JSON.stringify(path.hops)] satisfies PathRow);
}

export async function insertPaths(client: ClickHouseClient, rows: readonly PathRow[]): Promise<void> {
  await client.insert({ table: "paths", columns: [...columns], values: rows, format: "JSONCompactEachRow" });
}

const minuteMs = 60_000;
const maxPaths = 40;

/**
 * Returns the paths traced from shortly before an incident opened until shortly after it closed, oldest first.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function incidentPaths(
  { clock, read }: Pick<Context, "clock" | "read">,
  { monitorId, openedAtMs, closedAtMs }: { monitorId: number; openedAtMs: number; closedAtMs?: number | undefined },
): Promise<TracedPath[]> {
  const fromMs = Math.round(openedAtMs - 6 * minuteMs);
  const toMs = Math.round((closedAtMs ?? clock.now()) + 2 * minuteMs);
  const rows = await read((client) =>
    rowsOf<{ atMs: number; location: string; address: string; recovered: boolean; hops: string }>(
      client,
      `SELECT toFloat64(toUnixTimestamp64Milli(at)) AS atMs, location, address, recovered, hops FROM paths FINAL
        WHERE monitor_id = {monitorId:UInt32} AND at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
          AND at <= fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
        ORDER BY at LIMIT ${maxPaths}`,
      { monitorId, fromMs, toMs },
    ),
  );
  return rows.map(({ atMs, hops, ...row }) => ({
    ...row,
    at: new Date(atMs).toISOString(),
    hops: JSON.parse(hops) as TracedPath["hops"],
  }));
}
