import { decideNews, decideSteady, type ChannelDecision, type DecisionInput } from "./decide.ts";
import { deciding, type DecisionContext } from "./deciding.ts";
import { dropDeferred, dueDeferred } from "./decision-store.ts";
import type { NotifiedIncident } from "./incident.ts";
import { lockIncidents } from "./incident-store.ts";
import { type AlertMoment, type MomentName, readMoment } from "./moment.ts";
import { recordVerdicts } from "./record-verdicts.ts";
import { lookAt, maintenanceUntil } from "./view.ts";
import type { Database } from "@sonde/kit/postgres/database";
import { oneOf } from "@sonde/kit/one-of";
import { targetTypes } from "@sonde/proto/http/monitors/targets";
import { lateMs } from "./changes/open.ts";

const atOnce = 200;

/**
 * Decides deferred moments again when they are due: the maintenance or the quiet hours ended, or the parent recovered
 * and the target had time to recover too. Settings, parents and maintenance apply as they are now. Returns how many
 * moments were decided.
 */
export async function decideDeferred(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  if ((await dueDeferred(deps.db, nowMs, 1)).length === 0) return 0;
  const taken = await deciding(deps.db, async (trx) => {
    const due = await dueDeferred(trx, nowMs, atOnce);
    const known = await lockIncidents(
      trx,
      due.map(({ incidentId }) => incidentId),
    );
    const moments = due.flatMap(({ incidentId, moment }) => {
      const incident = known.get(incidentId);
      return incident === undefined
        ? []
        : [{ incident, incidentId, moment: moment as AlertMoment, ...readMoment(moment) }];
    });
    const view = await lookAt(trx, deps, [...known.values()]);
    const verdicts = moments.map(({ incident, moment, name, number }) => ({
      incident,
      moment,
      facts: view.factsOf(incident, name, name === "reminder" ? number : 0),
      decisions: again(name, incident, { ...view.question(incident), parentIncidentId: view.parentOf(incident) }),
    }));
    // What is deferred again is written again; the rest no longer applies.
    await dropDeferred(trx, moments);
    await recordVerdicts(trx, view, verdicts, nowMs);
    return moments.length;
  });
  if (taken > 0) deps.due();
  return taken;
}

function again(
  name: MomentName,
  { acknowledgedAtMs }: NotifiedIncident,
  question: DecisionInput & { parentIncidentId: string | null },
): ChannelDecision[] {
  if (name === "steady") return decideSteady(question);
  if (name !== "reminder") return decideNews(question);
  if (acknowledgedAtMs !== undefined || question.policy.cooldownMs === 0) return [];
  return decideNews(question).filter(({ channelId }) => channelId !== null);
}

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
