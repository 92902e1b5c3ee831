import type { MessageInitShape } from "@bufbuild/protobuf";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type {
  ExplainIncidentRequest,
  ExplainIncidentResponseSchema,
} from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { deliveriesOf } from "../deliveries/list.ts";
import { explainDecisions } from "./explain-store.ts";

/**
 * Why each channel was, or was not, told of an incident, by moment, and what became of it: by time. Of an incident that
 * is not known here nothing.
 */
export async function explainIncident(
  { db }: Pick<Context, "db">,
  { incidentId }: Pick<ExplainIncidentRequest, "incidentId">,
): Promise<MessageInitShape<typeof ExplainIncidentResponseSchema>> {
  const [rows, incident, deliveries] = await orUnavailable(() =>
    Promise.all([
      explainDecisions(db, incidentId),
      db("incidents").where({ id: incidentId }).first<{ due: number | null }>("reminder_due_at_ms as due"),
      deliveriesOf(db, { incidentId }),
    ]),
  );
  const decisions = rows.map((row) => ({
    moment: row.moment,
    atMs: row.at_ms,
    channelId: row.channel_id ?? undefined,
    channelName: row.channel_name ?? "",
    outcome: row.outcome,
    reason: row.reason,
    untilMs: row.until_ms ?? undefined,
    parentIncidentId: row.parent_incident_id ?? "",
    parentName: row.parent_name ?? "",
    deliveryId: row.delivery_id ?? undefined,
  }));
  return { decisions, deliveries, nextReminderAtMs: incident?.due ?? undefined };
}
