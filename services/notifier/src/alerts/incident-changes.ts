import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { TargetFactsSchema } from "@sonde/proto/gen/events/v1/events";
import type { Database } from "@sonde/kit/postgres/database";
import type { AlertMoment, NotifiedIncident } from "./incident.ts";

export const changeNames = [
  "opened",
  "closed",
  "acknowledged",
  "unacknowledged",
  "snoozed",
  "flapping",
  "steady",
] as const;
export type ChangeName = (typeof changeNames)[number];

/** A change as it was decided. `moment`: of flapping and its end. */
export type AppliedChange = { incident: NotifiedIncident; moment?: AlertMoment | undefined; quiet?: boolean };

/** What a change left, as far as decisions depend on it. */
export type RecordedChange = Pick<AppliedChange, "moment" | "quiet"> &
  Pick<NotifiedIncident, "acknowledgedAtMs" | "acknowledgedBy" | "snoozedUntilMs" | "facts">;

/** Records changes, for rehearsals. */
export async function recordChanges(
  trx: Database,
  name: ChangeName | "escalated",
  nowMs: number,
  changes: readonly AppliedChange[],
): Promise<void> {
  const rows = changes.flatMap(({ incident, moment, quiet }) => {
    const { id: incidentId, drill, facts, acknowledgedAtMs, acknowledgedBy, snoozedUntilMs } = incident;
    if (drill !== undefined) return [];
    const { tags, dependsOn, hosts, intervalMs, severity } = facts;
    const decisive = create(TargetFactsSchema, { tags, dependsOn, hosts, intervalMs, severity });
    const value = { moment, quiet, acknowledgedAtMs, acknowledgedBy, snoozedUntilMs };
    return [
      {
        incidentId,
        name,
        atMs: nowMs,
        value: JSON.stringify({ ...value, facts: toJson(TargetFactsSchema, decisive) }),
      },
    ];
  });
  if (rows.length > 0) await trx("incident_changes").insert(rows);
}

export const readChange = (value: Omit<RecordedChange, "facts"> & { facts: JsonValue }): RecordedChange => ({
  ...value,
  facts: fromJson(TargetFactsSchema, value.facts, { ignoreUnknownFields: true }),
});
