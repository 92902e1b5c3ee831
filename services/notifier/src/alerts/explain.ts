import { orUnavailable } from "@sonde/kit/postgres/database";
import type { IncidentExplanation } from "@sonde/proto/rpc/notifications";
import type { Context } from "../context.ts";
import { deliveriesOf } from "../deliveries/list.ts";
import { explainDecisions } from "./explain-store.ts";

/**
 * Why each channel was, or was not, notified of an incident, by moment, and the result, sorted by time. Empty for an
 * unknown incident.
 */
export async function explainIncident(
  { db }: Pick<Context, "db">,
  { incidentId }: { incidentId: string },
): Promise<IncidentExplanation> {
  const [rows, incident, deliveries] = await orUnavailable(() =>
    Promise.all([
      explainDecisions(db, incidentId),
      db("incidents").where({ id: incidentId }).first<{ due: number | null }>("reminder_due_at_ms as due"),
      deliveriesOf(db, { incidentId }),
    ]),
  );
  const decisions = rows.map((row) => ({
    moment: row.moment,
    at: instant(row.at_ms),
    channelId: row.channel_id ?? undefined,
    channelName: row.channel_name ?? "",
    outcome: row.outcome,
    reason: row.reason,
    until: row.until_ms === null ? undefined : instant(row.until_ms),
    parentIncidentId: row.parent_incident_id ?? undefined,
    parentName: row.parent_name ?? undefined,
    deliveryId: row.delivery_id ?? undefined,
  }));
  const dueMs = incident?.due ?? null;
  return { decisions, deliveries, nextReminderAt: dueMs === null ? undefined : instant(dueMs) };
}

const instant = (ms: number) => new Date(ms).toISOString();
