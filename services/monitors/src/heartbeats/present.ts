import type { Database } from "@sonde/kit/postgres/database";
import type { SecretBox } from "@sonde/kit/secrets";
import type { InboundFacts } from "@sonde/proto/http/monitors/inbound";
import type { HeartbeatFacts } from "@sonde/proto/http/monitors/pings";
import { addressPath } from "./targets.ts";
import type { HeartbeatState } from "./state.ts";

type Row = {
  monitorId: number;
  type: "heartbeat" | "inbound";
  address: string;
  state: HeartbeatState | null;
  receivedAtMs: number | null;
  previousUntilMs: number | null;
};
type PassiveFacts = { ofKind: HeartbeatFacts | InboundFacts; dueAt: string | null; receivedAtMs: number | null };
const instantOf = (ms: number) => new Date(ms).toISOString();

export async function passiveFactsOf(
  { db, secrets }: { db: Database; secrets: SecretBox },
  ids: readonly number[],
): Promise<Map<number, PassiveFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select heartbeats.monitor_id, monitors.config->>'type' as type, address, state, received_at_ms,
       (select max(until_ms) from ping_targets where ping_targets.monitor_id = heartbeats.monitor_id
         and role = 'previous' and deleted_at_ms is null) as previous_until_ms
     from heartbeats join monitors on monitors.id = heartbeats.monitor_id where heartbeats.monitor_id = any(?::int[])`,
    [[...ids]],
  );
  return new Map(
    rows.map((row) => {
      const dueAt = row.state && instantOf(row.state.dueMs);
      const previous = row.previousUntilMs !== null && { previousUrlUntil: instantOf(row.previousUntilMs) };
      const ofKind =
        row.type === "inbound"
          ? { inboundUrl: addressPath(secrets, row.address, "/api/inbound/"), ...previous }
          : { pingUrl: addressPath(secrets, row.address, "/ping/"), ...previous, dueAt, ...runsOf(row.state) };
      return [row.monitorId, { ofKind, dueAt, receivedAtMs: row.receivedAtMs }];
    }),
  );
}

const runsOf = (state: HeartbeatState | null): Pick<HeartbeatFacts, "deadlineAt" | "running" | "lastRun"> => ({
  deadlineAt: state && instantOf(state.deadlineMs),
  running: (state?.running ?? []).map(({ runId, sinceMs }) => ({ runId, since: instantOf(sinceMs) })),
  lastRun: state?.lastRun
    ? {
        startedAt: state.lastRun.startedAtMs === null ? null : instantOf(state.lastRun.startedAtMs),
        durationMs: state.lastRun.durationMs,
        exitCode: state.lastRun.exitCode,
      }
    : null,
});
