import { slices } from "@sonde/kit/concurrency/slices";
import type { PublicMaintenance } from "@sonde/proto/http/status/status";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { Database } from "@sonde/kit/postgres/database";
import type { MaintenanceStatus } from "@sonde/proto/http/status/maintenance";
import { render } from "../announcements/rendering.ts";
import { isoInstant } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import { type DisplayNames, idsOf, keyOf, named, targetsOf } from "../collect/targets.ts";
import type { Occurrence } from "../maintenance/store.ts";
import { dayMs } from "../maintenance/schedule.ts";

/**
 * Returns the page's public maintenance with its targets on the page: running, then within the next 31 days, then of
 * the last 14 days. At most 50, and at most five per window and status.
 */
export async function publicMaintenance(
  { db }: Pick<Context, "db">,
  { slug, shown, names, nowMs }: { slug: string; shown: readonly TargetRef[]; names: DisplayNames; nowMs: number },
): Promise<PublicMaintenance[]> {
  const isShown = new Set(shown.map(keyOf));
  const listed: PublicMaintenance[] = [];
  const pause = slices();
  for (const one of await publicOccurrences(db, { slug, shown, nowMs })) {
    await pause();
    const targets = targetsOf(one.monitorIds, one.agentIds).filter((target) => isShown.has(keyOf(target)));
    listed.push({
      id: one.windowId,
      name: one.name,
      ...(one.note === "" ? {} : { note: { text: one.note, html: await render(one.note) } }),
      status: one.status,
      start: isoInstant(one.fromMs),
      end: isoInstant(one.toMs),
      timeZone: one.timeZone,
      targets: named(targets, names),
      createdAt: isoInstant(one.createdAtMs),
      updatedAt: isoInstant(one.updatedAtMs),
    });
  }
  // All covered targets may have been deleted.
  return listed.filter((one) => one.targets.length > 0);
}

type PublicOccurrence = Occurrence & {
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
/** Leaves room for others if a window recurs daily. */
const maxPerItem = 5;
const maxOccurrences = 50;

/** Running first, then scheduled (soonest first), then ended (newest first). */
async function publicOccurrences(
  db: Database,
  { slug, shown, nowMs }: { slug: string; shown: readonly TargetRef[]; nowMs: number },
): Promise<PublicOccurrence[]> {
  const { rows } = await db.raw<{ rows: PublicOccurrence[] }>(
    `with chosen as (
       select window_id, from_ms, to_ms, occurrences.monitor_ids, occurrences.agent_ids, name, note, time_zone,
         windows.created_at_ms, windows.updated_at_ms,
         case when to_ms <= :nowMs then 'ended' when from_ms > :nowMs then 'scheduled' else 'running' end as status
       from windows join occurrences on window_id = windows.id
       where is_public and deleted_at_ms is null and (pages is null or :slug = any(pages))
         and to_ms > :nowMs::bigint - ${backMs} and from_ms <= :nowMs::bigint + ${aheadMs}
         and (occurrences.monitor_ids && :monitorIds::int[] or occurrences.agent_ids && :agentIds::int[])
     ), placed as (
       select *, case status when 'running' then 0 when 'scheduled' then 1 else 2 end as rank,
         case status when 'ended' then -to_ms else from_ms end as place
       from chosen
     ), numbered as (
       select *, row_number() over (partition by window_id, status order by place) as number from placed
     )
     select * from numbered where number <= ${maxPerItem} order by rank, place, window_id limit ${maxOccurrences}`,
    { slug, nowMs, monitorIds: idsOf(shown, "monitor"), agentIds: idsOf(shown, "agent") },
  );
  return rows;
}
