import type { ClickHouseClient } from "@clickhouse/client";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { type Evidence, type StoredEvidence, storedEvidence } from "@sonde/proto/http/incidents/evidence";
import { rowsOf } from "../clickhouse/rows.ts";
import type { Context } from "../context.ts";

export type EvidenceRow = readonly [monitorId: number, atMs: number, location: string, found: string];
const evidenceColumns = ["monitor_id", "at", "location", "found"] as const;

const maxBytes = 16 * 1024;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function toEvidenceRow(result: CheckResult): EvidenceRow | undefined {
  const { monitorId, slotMs, startedAtMs, location, status, evidence } = result;
  if (evidence === undefined || status !== "down" || Buffer.byteLength(evidence) > maxBytes) return undefined;
  const found = readFound(evidence);
  // The slot was validated on receipt, `startedAtMs` was not.
  const atMs = Math.min(Math.max(startedAtMs, slotMs), slotMs + hourMs);
  return found && [monitorId, Math.round(atMs), location, JSON.stringify(found)];
}

// Newer runners may send additional fields; they are dropped.
function readFound(text: string): StoredEvidence | undefined {
  try {
    return storedEvidence.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function withoutBody([monitorId, atMs, location, text]: EvidenceRow): EvidenceRow {
  const { body: _body, ...found } = JSON.parse(text) as StoredEvidence;
  return [monitorId, atMs, location, JSON.stringify(found)];
}

/** Matches the member `body` with one comma. Quotes inside other values are escaped, so nothing else matches. */
const bodyPattern = String.raw`,"body":"(?:[^"\\\\]|\\\\.)*"|"body":"(?:[^"\\\\]|\\\\.)*",?`;

/** Removes response bodies from these monitors' evidence. Runs at each start, so it skips unnecessary mutations. */
export async function deleteBodies(client: ClickHouseClient, ids: readonly number[]): Promise<void> {
  const theirs = `monitor_id IN (${ids.map(Number).join()}) AND position(found, '"body":"') > 0`;
  if ((await rowsOf(client, `SELECT 1 FROM evidence WHERE ${theirs} LIMIT 1`)).length === 0) return;
  await client.command({
    query: `ALTER TABLE evidence UPDATE found = replaceRegexpOne(found, '${bodyPattern}', '') WHERE ${theirs}
      SETTINGS mutations_sync = 1`,
  });
}

export async function insertEvidence(client: ClickHouseClient, rows: readonly EvidenceRow[]): Promise<void> {
  await client.insert({ table: "evidence", columns: [...evidenceColumns], values: rows, format: "JSONCompactEachRow" });
}

// A lasting failure has new evidence every five minutes, so that of an incident's opening is not older than this.
const beforeMs = 6 * minuteMs;
const afterMs = 10 * minuteMs;

type IncidentSpan = { monitorId: number; openedAtMs: number; closedAtMs?: number | undefined };

/**
 * Returns the evidence closest to an incident's opening and, if it is still open, the newest if that differs.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function incidentEvidence(
  ctx: Pick<Context, "clock" | "read">,
  { monitorId, openedAtMs, closedAtMs }: IncidentSpan,
): Promise<{ evidence?: Evidence | undefined; latestEvidence?: Evidence | undefined }> {
  const fromMs = openedAtMs - beforeMs;
  const distance = "abs(toUnixTimestamp64Milli(at) - {openedAtMs:Int64})";
  const opening = { monitorId, fromMs, toMs: Math.min(closedAtMs ?? Infinity, openedAtMs + afterMs), openedAtMs };
  const newest = { monitorId, fromMs, toMs: ctx.clock.now() + hourMs };
  const [evidence, latest] = await ctx.read((client) =>
    Promise.all([
      selectOne(client, distance, opening),
      closedAtMs === undefined ? selectOne(client, "at DESC", newest) : undefined,
    ]),
  );
  return { evidence, latestEvidence: latest?.at === evidence?.at ? undefined : latest };
}

async function selectOne(
  client: ClickHouseClient,
  order: string,
  range: { monitorId: number; fromMs: number; toMs: number; openedAtMs?: number },
): Promise<Evidence | undefined> {
  const rounded = Object.fromEntries(Object.entries(range).map(([name, value]) => [name, Math.round(value)]));
  const [row] = await rowsOf<{ atMs: number; location: string; found: string }>(
    client,
    `SELECT toFloat64(toUnixTimestamp64Milli(at)) AS atMs, location, found FROM evidence
      WHERE monitor_id = {monitorId:UInt32} AND at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
        AND at <= fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
      ORDER BY ${order} LIMIT 1`,
    rounded,
  );
  const found = row && readFound(row.found);
  return found && { at: new Date(row.atMs).toISOString(), location: row.location, ...found };
}
