import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { incidentKinds } from "@sonde/proto/http/incidents/incidents";
import type { SettingScope } from "@sonde/proto/http/notifications/settings";
import { policyOf, reminderAfterMs } from "./policy.ts";
import { isGlobal, targetTypeOf } from "./setting.ts";
import { loadSettings } from "./store.ts";

/**
 * Applies changed settings to open incidents: the next reminder is due one cooldown after the last notification, and
 * what quiet hours deferred is decided again.
 * @param targetId 0 of the settings for all: targets with their own settings are unchanged
 */
export async function replan(
  trx: Database,
  log: Log,
  scope: SettingScope,
  targetId: number,
  nowMs: number,
): Promise<void> {
  const type = targetTypeOf(scope);
  const concerned = {
    sql: isGlobal(scope)
      ? `target_type = :type and not exists (
           select from settings
           where scope = incidents.target_type and target_id = incidents.target_id and deleted_at_ms is null
         )`
      : "target_type = :type and target_id = :targetId",
    values: { type, targetId, nowMs },
  };
  const settings = await loadSettings(trx, log, [{ type, id: targetId }]);
  const policy = policyOf(settings.of({ type, id: targetId }));
  for (const kind of incidentKinds) {
    await trx.raw(
      `update incidents set reminder_due_at_ms = (
         select max(at_ms) + :afterMs::bigint from decisions
         where incident_id = incidents.id and outcome = 'sent' and moment <> 'closed'
       )
       where closed_at_ms is null and acknowledged_at_ms is null and kind = :kind and ${concerned.sql}`,
      { ...concerned.values, kind, afterMs: reminderAfterMs(policy, kind) },
    );
  }
  await trx.raw(
    `update decisions set until_ms = :nowMs::bigint from incidents
     where incidents.id = decisions.incident_id and outcome = 'held' and reason = 'quiet_hours' and ${concerned.sql}`,
    concerned.values,
  );
}
