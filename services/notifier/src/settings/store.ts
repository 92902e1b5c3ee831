import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import type { NotificationSettings, SettingScope } from "@sonde/proto/http/notifications/settings";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { defaultSettings, globalScopeOf, readSetting } from "./setting.ts";

export type SettingRow = {
  scope: SettingScope;
  targetId: number;
  value: unknown;
  revision: number;
  deletedAtMs: number | null;
};

/** The effective settings of targets: a target's own in place of those for all. */
export type EffectiveSettings = { of(target: TargetRef): NotificationSettings };

const keyOf = (scope: string, id: number) => `${scope} ${id}`;

export async function loadSettings(db: Database, log: Log, targets: readonly TargetRef[]): Promise<EffectiveSettings> {
  const { rows } = await db.raw<{ rows: SettingRow[] }>(
    `select settings.* from settings where scope in ('global-monitor', 'global-agent') and deleted_at_ms is null
     union
     select settings.* from settings
     join unnest(?::text[], ?::int[]) as asked (scope, target_id) using (scope, target_id)
     where deleted_at_ms is null`,
    [targets.map(({ type }) => type), targets.map(({ id }) => id)],
  );
  const known = new Map(rows.map((row) => [keyOf(row.scope, row.targetId), row]));
  return {
    of({ type, id }) {
      const global = globalScopeOf(type);
      const row = known.get(keyOf(type, id)) ?? known.get(keyOf(global, 0));
      return row === undefined ? defaultSettings(global) : readSetting(row.scope, row.value, log);
    },
  };
}

/** All that are stored. */
export function allSettings(db: Database): Promise<SettingRow[]> {
  return db<SettingRow>("settings").whereNull("deleted_at_ms").orderBy(["scope", "target_id"]).select();
}

/** Writes one. */
export async function saveSetting(
  trx: Database,
  scope: SettingScope,
  targetId: number,
  value: NotificationSettings,
): Promise<void> {
  await trx("settings")
    .insert({
      scope,
      targetId,
      value: JSON.stringify(value),
      revision: trx.raw("nextval('revisions')"),
      deletedAtMs: null,
    })
    .onConflict(["scope", "target_id"])
    .merge();
}

/** Replaces one by a tombstone; false if there is none. */
export async function burySetting(
  trx: Database,
  scope: SettingScope,
  targetId: number,
  nowMs: number,
): Promise<boolean> {
  const buried = await trx("settings")
    .where({ scope, targetId })
    .whereNull("deleted_at_ms")
    .update({ deletedAtMs: nowMs, value: "{}", revision: trx.raw("nextval('revisions')") });
  return buried > 0;
}
