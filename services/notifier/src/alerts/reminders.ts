import { decideReminder, type ChannelDecision } from "./decide.ts";
import { deciding, type DecisionContext } from "./deciding.ts";
import type { NotifiedIncident } from "./incident.ts";
import { dueReminders, lockIncidents, planReminders, updateIncidents } from "./incident-store.ts";
import { reminderAfterMs } from "../settings/policy.ts";
import { recordVerdicts } from "./record-verdicts.ts";
import { lookAt, type IncidentsView } from "./view.ts";
import type { Database } from "@sonde/kit/postgres/database";
import type { TargetType } from "@sonde/proto/http/monitors/targets";

const atOnce = 200;

/** Sends reminders of open incidents without an acknowledgement. Returns how many were due. */
export async function remind(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  if ((await dueReminders(deps.db, nowMs, 1)).length === 0) return 0;
  const reminded = await deciding(deps.db, async (trx) => {
    const due = [...(await lockIncidents(trx, await dueReminders(trx, nowMs, atOnce))).values()];
    if (due.length === 0) return 0;
    const view = await lookAt(trx, deps, due);
    const asked = due.map((incident) => ({
      incident,
      decisions: decideReminder({ ...view.question(incident), parentIncidentId: view.parentOf(incident) }),
    }));
    // A reminder without a channel, now or later, is not recorded.
    const made = asked.flatMap(({ incident, decisions }) => {
      const counts = decisions.some(({ outcome }) => outcome !== "skipped");
      return counts ? [{ decisions, incident: { ...incident, reminders: incident.reminders + 1 } }] : [];
    });
    await updateIncidents(
      trx,
      made.map(({ incident }) => incident),
    );
    await planReminders(
      trx,
      asked.map(({ incident, decisions }) => ({
        id: incident.id,
        dueAtMs: nextDueMs(view, incident, decisions, nowMs),
      })),
    );
    const verdicts = made.map(({ incident, decisions }) => ({
      incident,
      moment: `reminder:${incident.reminders}` as const,
      facts: view.factsOf(incident, "reminder", incident.reminders),
      decisions,
    }));
    await recordVerdicts(trx, view, verdicts, nowMs);
    return due.length;
  });
  if (reminded > 0) deps.due();
  return reminded;
}

/** If all channels are still deferred, the cooldown starts when the first is notified: deferral takes up none of it. */
function nextDueMs(
  view: IncidentsView,
  incident: NotifiedIncident,
  decisions: readonly ChannelDecision[],
  nowMs: number,
): number | null {
  const afterMs = reminderAfterMs(view.policyOf(incident), incident.kind);
  const onlyHeld = decisions.length > 0 && decisions.every(({ outcome }) => outcome === "held");
  return afterMs === null || onlyHeld ? null : nowMs + afterMs;
}

type ReminderRow = { id: string; type: TargetType; targetId: number; name: string; dueMs: number };

/** The reminder that is due first; undefined if there is none. */
export async function findNextReminder(db: Database) {
  const row: ReminderRow | undefined = await db("incidents")
    .whereNotNull("reminder_due_at_ms")
    .orderBy("reminder_due_at_ms")
    .first("id", "target_type as type", "target_id", "target_name as name", "reminder_due_at_ms as dueMs");
  if (row === undefined) return undefined;
  const { id, type, targetId, name, dueMs } = row;
  return { incidentId: id, target: { type, id: targetId, name }, at: new Date(dueMs).toISOString() };
}
