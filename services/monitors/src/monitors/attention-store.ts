import type { Database } from "@sonde/kit/postgres/database";
import type { StoredMonitor } from "./monitor.ts";
import { compactColumns } from "./store.ts";

/**
 * The monitors in the worst state, of one state the newest change first. Paused ones are left out.
 * @param stale the ids of those that are
 */
export async function findWorst(db: Database, stale: readonly number[], limit: number): Promise<StoredMonitor[]> {
  // Rows are sorted by few columns first: a check's configuration may be large.
  const { rows } = await db.raw<{ rows: StoredMonitor[] }>(
    `select ${compactColumns} from monitors join (
      select id, row_number() over () as place from (
        select id from monitors where deleted_at_ms is null and status <> 'paused'
        order by case when id = any(:stale::int[]) then 2 when status = 'down' then 1
          when flapping_since_ms is not null then 3 when status = 'pending' then 4 else 5 end,
          status_since_ms desc, id desc
        limit :limit
      ) as worst
    ) as placed using (id) order by place`,
    { stale: [...stale], limit },
  );
  return rows;
}

export type EndingCertificate = { monitorId: number; name: string; expiresAtMs: number };

/** Certificates that active monitors saw last and that end before an instant; of several locations the first to end. */
const ending = `select monitor_id, min(certificate_expires_at_ms) as expires_at_ms
  from figures join monitors on monitors.id = monitor_id and figures.version >= figures_version
  where deleted_at_ms is null and monitors.status <> 'paused' and certificate_expires_at_ms < :untilMs
  group by monitor_id`;

/** The first of them to end, and how many there are. */
export async function findEndingCertificates(
  db: Database,
  untilMs: number,
  limit: number,
): Promise<{ certificates: EndingCertificate[]; total: number }> {
  const { rows } = await db.raw<{ rows: (EndingCertificate & { total: number })[] }>(
    `select monitor_id, name, expires_at_ms, count(*) over () as total
     from (${ending}) as certificates join monitors on monitors.id = monitor_id
     order by expires_at_ms, monitor_id limit :limit`,
    { untilMs: Math.round(untilMs), limit },
  );
  return { certificates: rows.map(({ total: _total, ...certificate }) => certificate), total: rows[0]?.total ?? 0 };
}
