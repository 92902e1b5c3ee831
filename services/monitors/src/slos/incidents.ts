import { publishIncident } from "@sonde/domain/incidents/store";
import type { Database } from "@sonde/kit/postgres/database";
import type { IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import { factsOf, incidents } from "../incidents/facts.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { describedColumns } from "../monitors/store.ts";
import type { StoredSlo } from "./slo.ts";

const subjectOf = (id: number) => ({ kind: "slo", metric: String(id) }) as const;
const factsWith = (monitor: StoredMonitor, { name, value }: StoredSlo) => ({
  ...factsOf(monitor),
  serviceLevel: name,
  policyId: value.policyId,
});

/**
 * Opens the incident of a service level, unless one is open, or the service level or the monitor changed since it was
 * read. Other replicas find the same at the same time, maybe with another target.
 */
export async function openBurn(
  db: Database,
  slo: StoredSlo,
  { targetId, cause }: { targetId: number; cause: string },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const { updatedAtMs } = slo;
    const locked = await trx("slos").where({ id: slo.id, updatedAtMs }).forUpdate().first("id");
    if (locked === undefined) return false;
    const open = trx("incidents").where(subjectOf(slo.id)).whereNull("closedAtMs");
    if ((await open.first("id")) !== undefined) return false;
    const { rows } = await trx.raw<{ rows: StoredMonitor[] }>(
      `select ${describedColumns} from monitors where id = ? and deleted_at_ms is null for update`,
      [targetId],
    );
    const [monitor] = rows;
    if (monitor === undefined) return false;
    const incident = await incidents.open(trx, monitor, subjectOf(slo.id), cause, nowMs);
    if (incident === null) return false;
    await publishIncident(trx, { atMs: nowMs, change: "opened", incident, facts: factsWith(monitor, slo) });
    return true;
  });
}

/** Closes the incident of a service level, if one is open. `edited` sends no alert. */
export async function closeBurn(
  trx: Database,
  slo: StoredSlo,
  resolution: IncidentResolution & ("recovered" | "edited"),
  nowMs: number,
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: StoredMonitor[] }>(
    `select ${describedColumns} from monitors where id in (
       select target_id from incidents where kind = 'slo' and metric = ? and closed_at_ms is null) order by id for update`,
    [String(slo.id)],
  );
  let isClosed = false;
  for (const monitor of rows) {
    for (const incident of await incidents.close(trx, monitor, subjectOf(slo.id), resolution, nowMs)) {
      const quiet = resolution === "edited";
      await publishIncident(trx, { atMs: nowMs, change: "closed", incident, quiet, facts: factsWith(monitor, slo) });
      isClosed = true;
    }
  }
  return isClosed;
}

/** Moves incidents of service levels to other targets before those of paused and deleted monitors are closed. */
export async function passOnBurns(trx: Database, ids: readonly number[]): Promise<void> {
  await trx.raw(
    `update incidents set target_id = heirs.monitor_id from (
       select incidents.id, min(monitors.id) as monitor_id
       from incidents join slos on slos.id::text = incidents.metric
         join monitors on slos.value->'targets' @> to_jsonb(monitors.id) or slos.value->>'tag' = any(monitors.tags)
       where incidents.target_id = any(:ids::int[]) and kind = 'slo' and closed_at_ms is null
         and deleted_at_ms is null and monitors.status <> 'paused' and monitors.id <> all(:ids::int[])
         and monitors.config->>'type' <> 'group'
       group by incidents.id
     ) heirs where incidents.id = heirs.id`,
    { ids: [...ids] },
  );
}
