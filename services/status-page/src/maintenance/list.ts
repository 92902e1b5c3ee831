import { ownersOf } from "@sonde/domain/managed/table";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { Maintenance, MaintenanceStatus } from "@sonde/proto/http/status/maintenance";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { z } from "zod";
import { isoInstant } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import type { TimeSpan } from "./schedule.ts";
import type { Window } from "./store.ts";
import { isoSpan, upcomingOf } from "./upcoming.ts";

/** Half of a bus message. */
const maxBytes = 512 * 1024;

/** Returns what fits into a bus message, and the ids of the rest: running, then scheduled, then ended. */
export async function listMaintenance(
  { db, clock }: Pick<Context, "db" | "clock">,
  { page, pageSize, status, ids }: z.output<typeof statusContract.methods.listMaintenance.input>,
): Promise<{ maintenance: Maintenance[]; total: number; restIds: number[] }> {
  const filter = { status, ids: ids.length > 0 ? ids : undefined, limit: pageSize, offset: (page - 1) * pageSize };
  const { windows: found, total } = await orUnavailable(() => findWindows(db, clock.now(), filter));
  const owners = await orUnavailable(() =>
    ownersOf(
      db,
      "maintenance",
      found.map(({ id }) => id),
    ),
  );
  const windows = found.map((window) => ({ ...window, managed: owners.get(window.id) }));
  const shown: Maintenance[] = [];
  let bytes = 0;
  for (const window of windows) {
    bytes += Buffer.byteLength(JSON.stringify(window));
    if (bytes > maxBytes && shown.length > 0) break;
    shown.push(window);
  }
  return { maintenance: shown, total, restIds: windows.slice(shown.length).map(({ id }) => id) };
}

export async function showWindow(db: Database, id: number, nowMs: number): Promise<Maintenance> {
  const { windows } = await findWindows(db, nowMs, { ids: [id], limit: 1, offset: 0 });
  if (windows[0] === undefined) throw new Error(`window ${id} does not exist`);
  return windows[0];
}

type WindowFilter = { status?: string; ids?: readonly number[]; limit: number; offset: number };

/** Running windows by their end, then scheduled ones by their start, then ended ones, most recent first. */
async function findWindows(
  db: Database,
  nowMs: number,
  { status, ids, limit, offset }: WindowFilter,
): Promise<{ windows: Maintenance[]; total: number }> {
  const { rows } = await db.raw<{ rows: ShownRow[] }>(
    `with timed as (
       select windows.*, next.from_ms as next_from_ms, next.to_ms as next_to_ms,
         (select coalesce(jsonb_agg(jsonb_build_object('fromMs', from_ms, 'toMs', to_ms)), '[]')
          from (select * from occurrences where window_id = windows.id and to_ms > :nowMs order by from_ms limit 3) as ahead
         ) as ahead,
         case when next.from_ms is null then 'ended' when next.from_ms <= :nowMs then 'running' else 'scheduled' end as status,
         coalesce((select max(to_ms) from occurrences where window_id = windows.id), windows.updated_at_ms) as last_to_ms
       from windows left join lateral (
         select from_ms, to_ms from occurrences
         where window_id = windows.id and to_ms > :nowMs order by from_ms limit 1
       ) as next on true
       where deleted_at_ms is null and not is_silence and (:ids::int[] is null or id = any(:ids::int[]))
     )
     select *, count(*) over () as total from timed
     where status = coalesce(:status, status)
     order by case status when 'running' then 0 when 'scheduled' then 1 else 2 end,
       case status when 'running' then next_to_ms when 'scheduled' then next_from_ms else -last_to_ms end, id
     limit :limit offset :offset`,
    { nowMs, status: status ?? null, ids: ids ? [...ids] : null, limit, offset },
  );
  // A page beyond the last one has no row with the total.
  if (rows.length === 0 && offset > 0) {
    const first = await findWindows(db, nowMs, { status, ids, limit: 1, offset: 0 });
    return { windows: [], total: first.total };
  }
  return { windows: rows.map(present), total: rows[0]?.total ?? 0 };
}

type ShownRow = Window & {
  status: MaintenanceStatus;
  ahead: TimeSpan[];
  total: number;
};

const present = (window: ShownRow): Maintenance => ({
  id: window.id,
  name: window.name,
  note: window.note || undefined,
  monitors: window.monitorIds,
  agents: window.agentIds,
  tags: window.tags,
  start: isoInstant(window.startMs),
  end: isoInstant(window.endMs),
  timeZone: window.timeZone,
  rrule: window.rrule || undefined,
  public: window.isPublic,
  pages: window.pages ?? undefined,
  status: window.status,
  next: window.ahead[0] && isoSpan(window.ahead[0]),
  upcoming: upcomingOf(window, window.ahead).map(isoSpan),
  createdAt: isoInstant(window.createdAtMs),
  updatedAt: isoInstant(window.updatedAtMs),
});
