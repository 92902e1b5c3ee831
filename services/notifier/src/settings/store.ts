import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import {
  type NotificationSettings,
  type SettingScope,
  globalAgentSettings,
  globalMonitorSettings,
  settingScopes,
  type QuietHours,
} from "@sonde/proto/http/notifications/settings";
import { channelsFor, policyFor } from "@sonde/proto/http/notifications/rules";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { oneOf } from "@sonde/kit/one-of";
import * as z from "zod";
import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";

export type SettingRow = {
  scope: SettingScope;
  targetId: number;
  value: unknown;
  revision: number;
  deletedAtMs: number | null;
};

export type SettingKey = Pick<SettingRow, "scope" | "targetId">;
export type NewSetting = SettingKey & { value: NotificationSettings };

const keyOf = (scope: string, id: number) => `${scope} ${id}`;

/** Loads the effective settings of targets: a target's own, or the global ones with the rule for its tags. */
export async function loadPolicies(
  db: Database,
  log: Log,
  targets: readonly TargetRef[],
): Promise<(target: TargetRef, tags?: readonly string[]) => AlertPolicy> {
  const { rows } = await db.raw<{ rows: SettingRow[] }>(
    `select settings.* from settings where scope in ('global-monitor', 'global-agent') and deleted_at_ms is null
     union
     select settings.* from settings
     join unnest(?::text[], ?::int[]) as requested (scope, target_id) using (scope, target_id)
     where deleted_at_ms is null`,
    [targets.map(({ type }) => type), targets.map(({ id }) => id)],
  );
  return policiesIn(rows.map((row) => ({ ...row, value: readSetting(row.scope, row.value, log) })));
}

/** Returns the effective settings of targets among these. */
export function policiesIn(rows: readonly NewSetting[]): (target: TargetRef, tags?: readonly string[]) => AlertPolicy {
  const settings = new Map(rows.map(({ scope, targetId, value }) => [keyOf(scope, targetId), value]));
  return ({ type, id }, tags) =>
    policyOf(settings.get(keyOf(type, id)) ?? settings.get(keyOf(`global-${type}`, 0)) ?? defaultSettings(type), tags);
}

export function allSettings(db: Database): Promise<SettingRow[]> {
  return db<SettingRow>("settings").whereNull("deleted_at_ms").orderBy(["scope", "target_id"]).select();
}

export async function readSettings(
  db: Database,
  log: Pick<Log, "error">,
  keys: readonly SettingKey[],
): Promise<NewSetting[]> {
  const rows = await db<SettingRow>("settings")
    .whereRaw("(scope, target_id) in (select * from unnest(?::text[], ?::int[]))", [
      keys.map(({ scope }) => scope),
      keys.map(({ targetId }) => targetId),
    ])
    .whereNull("deleted_at_ms")
    .select<SettingRow[]>();
  return rows.map(({ scope, targetId, value }) => ({ scope, targetId, value: readSetting(scope, value, log) }));
}

export async function saveSettings(trx: Database, settings: readonly NewSetting[]): Promise<void> {
  const rows = settings.map(({ value, ...key }) => ({
    ...key,
    value: JSON.stringify(value),
    revision: trx.raw("nextval('revisions')"),
    deletedAtMs: null,
  }));
  await trx("settings").insert(rows).onConflict(["scope", "target_id"]).merge();
}

export const findSetting = (trx: Database, { scope, targetId }: SettingKey): Promise<SettingRow | undefined> =>
  trx<SettingRow>("settings").where({ scope, targetId }).whereNull("deleted_at_ms").first();

export async function tombstoneSetting(trx: Database, { scope, targetId }: SettingKey, nowMs: number): Promise<void> {
  await trx("settings")
    .where({ scope, targetId })
    .update({ deletedAtMs: nowMs, value: "{}", revision: trx.raw("nextval('revisions')") });
}

export const readScope = oneOf(settingScopes, "settings scope");

export const targetTypeOf = (scope: SettingScope): TargetType =>
  scope === "global-agent" || scope === "agent" ? "agent" : "monitor";

export const isGlobal = (scope: SettingScope): boolean => scope === "global-monitor" || scope === "global-agent";

export const settingsSchema = (scope: SettingScope) =>
  targetTypeOf(scope) === "agent" ? globalAgentSettings : globalMonitorSettings;

// Ignores fields that a later version stored.
const stored = { monitor: z.object(globalMonitorSettings.shape), agent: z.object(globalAgentSettings.shape) };

export const defaultSettings = (scope: SettingScope): NotificationSettings => settingsSchema(scope).parse({});

/** Reads stored settings, with defaults for missing fields, or all defaults if they are invalid. */
export function readSetting(scope: SettingScope, value: unknown, log: Pick<Log, "error">): NotificationSettings {
  const { data, error } = stored[targetTypeOf(scope)].safeParse(value);
  if (data !== undefined) return data;
  log.error({ err: error, scope }, "stored notification settings are invalid; using defaults");
  return defaultSettings(scope);
}

export type AlertPolicy = {
  isEnabled: boolean;
  channelIds: readonly number[];
  /** Whether recipients want alerts about incidents of this kind, or about their recovery. */
  wants(kind: IncidentKind, isOver: boolean): boolean;
  /** Between reminders; 0 disables them. */
  cooldownMs: number;
  quietHours: QuietHours | null;
  language: "zh-CN" | "en-US";
  templateId: number | null;
  /** The escalation policy, if any. */
  policyId?: number | undefined;
};

/** @param tags the target's, to find its rule */
export function policyOf(settings: NotificationSettings, tags: readonly string[] = []): AlertPolicy {
  const { enabled, events, cooldownMinutes, quietHours, language, templateId } = settings;
  const [wrong, over] = "down" in events ? [events.down, events.recovery] : [events.offline, events.online];
  const ofMonitors = "down" in events ? events : { partial: false, slow: false, external: false, slo: false };
  return {
    isEnabled: enabled,
    channelIds: [...channelsFor(settings, tags)].sort((one, other) => one - other),
    // Thresholds are disabled by not setting any.
    wants: (kind, isOver) =>
      kind === "threshold" ||
      (kind === "partial" || kind === "slow" || kind === "external" || kind === "slo"
        ? ofMonitors[kind] && (!isOver || over)
        : isOver
          ? over
          : wrong),
    cooldownMs: cooldownMinutes * 60_000,
    quietHours: quietHours ?? null,
    language: language ?? "zh-CN",
    templateId: templateId ?? null,
    policyId: policyFor(settings, tags),
  };
}

/** Returns how long after a notification the next reminder is due; `null` for no reminders. */
export function reminderAfterMs({ isEnabled, cooldownMs, wants }: AlertPolicy, kind: IncidentKind): number | null {
  return isEnabled && cooldownMs > 0 && wants(kind, false) ? cooldownMs : null;
}
