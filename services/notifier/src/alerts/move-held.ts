import type { Database } from "@sonde/kit/postgres/database";
import { oneOf } from "@sonde/kit/one-of";
import { targetTypes } from "@sonde/proto/http/monitors/targets";
import { deciding, type DecisionContext } from "./deciding.ts";
import { lateMs } from "./open.ts";
import { maintenanceUntil } from "./view.ts";

type HeldTarget = { type: string; id: number };

const readType = oneOf(targetTypes, "type of target");

/**
 * Moves alerts deferred by maintenance to the present end of its windows; those whose target is no longer covered are
 * due. Returns how many decisions moved.
 */
export async function moveDeferred(deps: Pick<DecisionContext, "db" | "clock" | "maintenance">): Promise<number> {
  if ((await deferredTargets(deps.db)).length === 0) return 0;
  return deciding(deps.db, async (trx) => {
    const nowMs = deps.clock.now();
    const ends = (await deferredTargets(trx)).map(({ type, id }) => ({
      type,
      id,
      until: maintenanceUntil(deps.maintenance, { type: readType(type), id }, nowMs) ?? nowMs,
    }));
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      // What is already due stays due. What waits a few seconds for a possible closing continues to wait.
      `update decisions set until_ms = ends.until
       from incidents join jsonb_to_recordset(?::jsonb) as ends (type text, id integer, until bigint)
         on target_type = ends.type and target_id = ends.id
       where incidents.id = incident_id and outcome = 'held' and reason = 'maintenance'
         and until_ms <> ends.until and not (ends.until <= ? and (until_ms <= ? or until_ms <= at_ms + ${lateMs}))`,
      [JSON.stringify(ends), nowMs, nowMs],
    );
    return rowCount;
  });
}

/** Targets whose alerts are deferred by maintenance. */
const deferredTargets = (db: Database): Promise<HeldTarget[]> =>
  db("decisions")
    .join("incidents", "incidents.id", "incident_id")
    .where({ outcome: "held", reason: "maintenance" })
    .distinct({ type: "target_type", id: "target_id" });
