import type { Database } from "@sonde/kit/postgres/database";
import type { MaintenanceStatus } from "@sonde/proto/http/status/maintenance";
import type { Occurrence } from "./occurrence-store.ts";
import { dayMs } from "./schedule.ts";
import type { WindowTargets } from "./store.ts";

export type PublicOccurrence = Occurrence & {
  windowId: number;
  name: string;
  note: string;
  timeZone: string;
  createdAtMs: number;
  updatedAtMs: number;
  status: MaintenanceStatus;
};

const aheadMs = 31 * dayMs;
const backMs = 14 * dayMs;
/** Otherwise a window that recurs daily would leave no room for others. */
const mostOfOne = 5;
const most = 50;

/**
 * Running occurrences, then future ones, the soonest first, then past ones, the newest first, of windows that cover
 * some of these.
 */
export async function publicOccurrences(
  db: Database,
  shown: WindowTargets,
  nowMs: number,
): Promise<PublicOccurrence[]> {
  const { rows } = await db.raw<{ rows: PublicOccurrence[] }>(
    `with chosen as (
       select window_id, from_ms, to_ms, occurrences.monitor_ids, occurrences.agent_ids, name, note, time_zone,
         windows.created_at_ms, windows.updated_at_ms,
         case when to_ms <= :nowMs then 'ended' when from_ms > :nowMs then 'scheduled' else 'running' end as status
       from windows join occurrences on window_id = windows.id
       where is_public and deleted_at_ms is null
         and to_ms > :nowMs::bigint - ${backMs} and from_ms <= :nowMs::bigint + ${aheadMs}
         and (occurrences.monitor_ids && :monitorIds::int[] or occurrences.agent_ids && :agentIds::int[])
     ), placed as (
       select *, case status when 'running' then 0 when 'scheduled' then 1 else 2 end as rank,
         case status when 'ended' then -to_ms else from_ms end as place
       from chosen
     ), numbered as (
       select *, row_number() over (partition by window_id, status order by place) as number from placed
     )
     select * from numbered where number <= ${mostOfOne} order by rank, place, window_id limit ${most}`,
    { nowMs, monitorIds: shown.monitorIds, agentIds: shown.agentIds },
  );
  return rows;
}
