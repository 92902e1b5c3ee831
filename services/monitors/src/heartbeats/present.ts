import type { Database } from "@sonde/kit/postgres/database";
import type { SecretBox } from "@sonde/kit/secrets";
import type { HeartbeatFacts } from "@sonde/proto/http/monitors/pings";
import { pingPath } from "./targets.ts";
import type { HeartbeatState } from "./state.ts";

type Row = { monitorId: number; address: string; state: HeartbeatState | null; previousUntilMs: number | null };
const instantOf = (ms: number) => new Date(ms).toISOString();

export async function heartbeatFactsOf(
  { db, secrets }: { db: Database; secrets: SecretBox },
  ids: readonly number[],
): Promise<Map<number, HeartbeatFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select heartbeats.monitor_id, address, state,
       (select max(until_ms) from ping_targets where ping_targets.monitor_id = heartbeats.monitor_id
         and role = 'previous' and deleted_at_ms is null) as previous_until_ms
     from heartbeats where heartbeats.monitor_id = any(?::int[])`,
    [[...ids]],
  );
  return new Map(
    rows.map(({ monitorId, address, state, previousUntilMs }) => [
      monitorId,
      {
        pingUrl: pingPath(secrets, address),
        ...(previousUntilMs !== null && { previousUrlUntil: instantOf(previousUntilMs) }),
        dueAt: state && instantOf(state.dueMs),
        deadlineAt: state && instantOf(state.deadlineMs),
        running: (state?.running ?? []).map(({ runId, sinceMs }) => ({ runId, since: instantOf(sinceMs) })),
        lastRun: state?.lastRun
          ? {
              startedAt: state.lastRun.startedAtMs === null ? null : instantOf(state.lastRun.startedAtMs),
              durationMs: state.lastRun.durationMs,
              exitCode: state.lastRun.exitCode,
            }
          : null,
      },
    ]),
  );
}
