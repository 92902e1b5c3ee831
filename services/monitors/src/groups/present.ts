import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Database } from "@sonde/kit/postgres/database";
import type { GroupFacts, GroupState, Need } from "@sonde/proto/http/monitors/groups";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { type GroupSpan, neededOf, uptimeOf } from "./decide.ts";
import { countMembers, spansSince } from "./store.ts";

const dayMs = 24 * 3_600_000;

export type GroupMaintenance = Pick<MaintenanceWatch, "spansOf" | "covered">;

export async function groupFactsOf(
  { db, maintenance }: { db: Database; maintenance: GroupMaintenance },
  groups: readonly StoredMonitor[],
  nowMs: number,
): Promise<Map<number, GroupFacts>> {
  if (groups.length === 0) return new Map();
  const ids = groups.map(({ id }) => id);
  const [members, spans] = await Promise.all([countMembers(db, ids), spansSince(db, ids, nowMs - 90 * dayMs)]);
  const covered = maintenance.covered("monitor", nowMs);
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return new Map(
    groups.map(({ id, status, config }) => {
      const own = byGroup.get(id) ?? [];
      const counted = own.filter((member) => !covered.has(member.id));
      const [up, down] = (["up", "down"] as const).map(
        (wanted) => counted.filter((one) => one.status === wanted).length,
      );
      const counts = { up: up!, down: down!, ignored: own.length - up! - down! };
      const needed = neededOf(config["need"] as Need, up! + down!);
      const state: GroupState = status === "up" && down! > 0 ? "partial" : status;
      return [id, { state, counts, needed, groupUptime: uptimesOf(maintenance, id, spans.get(id) ?? [], nowMs) }];
    }),
  );
}

/** Percent of the last 24 hours, 30 days and 90 days; `null` without data. Maintenance of the group itself does not count. */
function uptimesOf(maintenance: GroupMaintenance, id: number, spans: readonly GroupSpan[], nowMs: number) {
  const excluded = maintenance.spansOf("monitor", id);
  const percent = (days: number) => {
    const { upMs, seenMs } = uptimeOf(spans, excluded, nowMs - days * dayMs, nowMs);
    return seenMs === 0 ? null : (100 * upMs) / seenMs;
  };
  return { h24: percent(1), d30: percent(30), d90: percent(90) };
}
