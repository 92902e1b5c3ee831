import type { Handlers } from "@sonde/kit/bus/rpc";
import type { IncidentInit } from "@sonde/domain/incidents/store";
import type { Database } from "@sonde/kit/postgres/database";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import { readCauses } from "../causes/store.ts";
import type { LocationOpinion, Suspicion } from "../state/tracked.ts";

export async function saveOpinions(trx: Database, { id }: IncidentInit, suspicion?: Suspicion): Promise<void> {
  const rows = suspicion?.opinions.map((opinion) => ({ incidentId: Number(id?.slice(1)), ...opinion })) ?? [];
  if (rows.length > 0) await trx("opinions").insert(rows.map(whole)).onConflict().ignore();
}

/** A late opinion belongs to the newest open incident. */
export async function addOpinion(db: Database, monitorId: number, suspicion?: Suspicion): Promise<void> {
  const last = suspicion?.opinions.at(-1);
  if (last === undefined) return;
  const { atMs, location, status, error = null } = whole(last);
  await db.raw(
    `insert into opinions (incident_id, at_ms, location, status, error)
       select id, ?, ?, ?, ? from incidents
       where target_id = ? and kind in ('down', 'partial') and closed_at_ms is null
       order by opened_at_ms desc, id desc limit 1
     on conflict do nothing`,
    [atMs, location, status, error, monitorId],
  );
}

const whole = <Row extends { atMs: number }>(row: Row): Row => ({ ...row, atMs: Math.round(row.atMs) });

export const withOpinions = (
  db: Database,
  endpoints: Handlers<typeof incidentsContract>,
  readRecovery: (monitorId: number) => Promise<KnownMonitor["recovery"]>,
): Handlers<typeof incidentsContract> => ({
  ...endpoints,
  async getIncident(request, call) {
    const response = await endpoints.getIncident(request, call);
    const rows = await db("opinions")
      .where({ incidentId: Number(request.id.slice(1)) })
      .orderBy("atMs")
      .select<(LocationOpinion & { error: string | null })[]>();
    const opinions = rows.map(({ atMs, location, status, error }) => ({
      at: new Date(atMs).toISOString(),
      location,
      status,
      error: error ?? undefined,
    }));
    const { incident } = response;
    const isOpenDown = incident.kind === "down" && incident.closedAt === undefined;
    const recovery = isOpenDown ? await readRecovery(incident.target.id) : undefined;
    const [sharedCause] = await readCauses(db, [Number(request.id.slice(1))]);
    return { ...response, opinions, recovery, sharedCause };
  },
});
