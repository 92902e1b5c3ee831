import { record } from "@sonde/domain/audit";
import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import type { AgentSettings, MonitorSettings, NotificationSettings } from "@sonde/proto/http/notifications/settings";
import { fieldChanges } from "@sonde/domain/managed/apply";
import { ownersOf, refuseOwned } from "@sonde/domain/managed/table";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { incidentKinds } from "@sonde/proto/http/incidents/incidents";
import { findNextReminder } from "../alerts/ticks.ts";
import type { Context } from "../context.ts";
import {
  allSettings,
  tombstoneSetting,
  defaultSettings,
  findSetting,
  isGlobal,
  loadPolicies,
  type NewSetting,
  readSetting,
  readSettings,
  reminderAfterMs,
  saveSettings,
  type SettingKey,
  type SettingRow,
  targetTypeOf,
} from "./store.ts";
import { deciding } from "../alerts/deciding.ts";
import { enqueueThresholds } from "./projection.ts";

export async function getSettings({ db, log }: Pick<Context, "db" | "log">) {
  const [rows, nextReminder] = await orUnavailable(() => Promise.all([allSettings(db), findNextReminder(db)]));
  const ids = rows.flatMap(({ scope, targetId }) => (scope === "monitor" ? [targetId] : []));
  const [globals, own] = await orUnavailable(() =>
    Promise.all([
      ownersOf(db, "settings", [globalIds["global-monitor"], globalIds["global-agent"]]),
      ownersOf(db, "notify", ids),
    ]),
  );
  const settings = rows.map((row) => ({ ...row, value: shown(readSetting(row.scope, row.value, log)) }));
  const ofTargets = <Value>(wanted: "monitor" | "agent"): Record<number, Value> =>
    Object.fromEntries(
      settings.filter(({ scope }) => scope === wanted).map(({ targetId, value }) => [targetId, value as Value]),
    );
  const global = <Value>(wanted: "global-monitor" | "global-agent") =>
    (settings.find(({ scope }) => scope === wanted)?.value ?? shown(defaultSettings(wanted))) as Value;
  return {
    globalMonitor: global<MonitorSettings>("global-monitor"),
    globalAgent: global<AgentSettings>("global-agent"),
    monitors: ofTargets<MonitorSettings>("monitor"),
    agents: ofTargets<AgentSettings>("agent"),
    managed: {
      globalMonitor: globals.get(globalIds["global-monitor"]),
      globalAgent: globals.get(globalIds["global-agent"]),
      monitors: Object.fromEntries(own),
    },
    nextReminder,
  };
}

/** Ids of the global settings in the table of owners. */
export const globalIds = { "global-monitor": 1, "global-agent": 2 } as const;

/** @param value `null` for a deletion @throws AppError `conflict` if a source owns a changed setting */
async function refuseOwnedSettings(trx: Database, log: Log, key: SettingKey, value: NotificationSettings | null) {
  const { scope, targetId } = key;
  if (scope === "agent") return;
  const isOne = scope === "monitor";
  const owned = { kind: isOne ? ("notify" as const) : ("settings" as const), id: isOne ? targetId : globalIds[scope] };
  const before = (await readSettings(trx, log, [key]))[0]?.value ?? defaultSettings(scope);
  const both = { before, after: value ?? defaultSettings(scope) };
  const named: Readonly<Record<string, string>> = { templateId: "template", policyId: "policy" };
  const changed = () => fieldChanges(both, both).map(({ path }) => named[path] ?? path);
  await refuseOwned(trx, { ...owned, name: scope }, value === null && isOne ? null : changed);
}

const shown = <Settings extends NotificationSettings>(settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, field]) => field !== null)) as Settings;

type Deps = Pick<Context, "db" | "clock" | "log" | "committed">;

/**
 * Stores global settings or those of one target. Reminders and deferrals by quiet hours follow at once; thresholds are
 * published to agent-ingest.
 * @throws AppError `impossible` if a channel or the template does not exist, or there are too many overrides
 */
export async function putSetting<Settings extends NotificationSettings>(
  { db, clock, log, committed }: Deps,
  setting: NewSetting & { value: Settings },
): Promise<Settings> {
  await orUnavailable(() =>
    deciding(db, async (trx) => {
      await requireExisting(trx, setting.value);
      await refuseOwnedSettings(trx, log, setting, setting.value);
      await writeSettings(trx, log, [setting], clock.now());
    }),
  );
  committed();
  return shown(setting.value);
}

/** @throws AppError `impossible` if there are too many overrides */
export async function writeSettings(
  trx: Database,
  log: Log,
  settings: readonly NewSetting[],
  nowMs: number,
): Promise<void> {
  if (settings.length === 0) return;
  const before = new Map(
    (await readSettings(trx, log, settings)).map((one) => [`${one.scope}:${one.targetId}`, one.value]),
  );
  await saveSettings(trx, settings);
  await requireRoom(trx);
  // Few targets have open incidents, and replanning takes several statements each.
  const open = new Set(await openTargets(trx));
  for (const setting of settings) {
    await recordSetting(trx, "update", setting, before.get(`${setting.scope}:${setting.targetId}`), setting.value);
    await enqueueThresholds(trx, setting);
    if (isGlobal(setting.scope) || open.has(`${setting.scope}:${setting.targetId}`))
      await replanReminders(trx, log, setting, nowMs);
  }
}

const openTargets = (trx: Database): Promise<string[]> =>
  trx("incidents").whereNull("closed_at_ms").distinct().pluck<string[]>("target");

async function requireExisting(trx: Database, settings: NotificationSettings): Promise<void> {
  const details = await missingIn(trx, settings);
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

/** Returns an error for each channel, template and policy that does not exist. */
export async function missingIn(
  trx: Database,
  { channels, rules = [], templateId, policyId }: NotificationSettings,
  find = lockExisting,
): Promise<FieldFault[]> {
  const lists = [channels, ...rules.map((rule) => rule.channels)];
  const known = await find(trx, "channels", lists.flat());
  const details = lists.flatMap((ids, list) =>
    ids.flatMap((id, index): FieldFault[] => {
      const path = `${list === 0 ? "" : `rules.${list - 1}.`}channels.${index}`;
      return known.has(id) ? [] : [{ path, message: "Notification channel does not exist" }];
    }),
  );
  if (typeof templateId === "number" && !(await find(trx, "templates", [templateId])).has(templateId)) {
    details.push({ path: "templateId", message: "Notification template does not exist" });
  }
  const policies = [policyId, ...rules.map((rule) => rule.policyId)];
  const knownPolicies = await find(
    trx,
    "policies",
    policies.flatMap((id) => id ?? []),
  );
  for (const [index, id] of policies.entries()) {
    const path = index === 0 ? "policyId" : `rules.${index - 1}.policyId`;
    if (id != null && !knownPolicies.has(id)) details.push({ path, message: "Escalation policy does not exist" });
  }
  return details;
}

/** Returns which rows exist, locked against deletion until the transaction ends. */
export async function lockExisting(
  trx: Database,
  table: "channels" | "templates" | "policies",
  ids: readonly number[],
): Promise<Set<number>> {
  return new Set(await existing(trx, table, ids).forShare().pluck<number[]>("id"));
}

export const findExisting: typeof lockExisting = async (db, table, ids) =>
  new Set(await existing(db, table, ids).pluck<number[]>("id"));

const existing = (db: Database, table: string, ids: readonly number[]) =>
  db(table)
    .whereRaw(`id = any(?)${table === "channels" ? " and user_id is null" : ""}`, [[...ids]])
    .orderBy("id");

/** All overrides must fit into one bus message. */
const maxOverrides = 1_000;

/** @throws AppError `impossible` if there are more than `maxOverrides` */
export async function requireRoom(trx: Database): Promise<void> {
  const overrides = await trx("settings")
    .whereIn("scope", ["monitor", "agent"])
    .whereNull("deleted_at_ms")
    .count<{ count: number }[]>("* as count")
    .first();
  if ((overrides?.count ?? 0) <= maxOverrides) return;
  const params = { max: maxOverrides };
  throw new AppError("impossible", "The limit of {max} overrides has been reached: delete one first", { params });
}

export async function removeSettings(
  { db, clock, log, committed }: Deps,
  settings: readonly SettingKey[],
  alsoDo: (trx: Database, removed: readonly NewSetting[]) => Promise<void> = async () => {},
): Promise<void> {
  await deciding(db, async (trx) => {
    const removed: NewSetting[] = [];
    for (const setting of settings) removed.push(...(await tombstone(trx, log, setting, clock.now())));
    await alsoDo(trx, removed);
  });
  committed();
}

async function tombstone(trx: Database, log: Log, setting: SettingKey, nowMs: number): Promise<NewSetting[]> {
  const before = await findSetting(trx, setting);
  if (before === undefined) return [];
  await tombstoneSetting(trx, setting, nowMs);
  await enqueueThresholds(trx, setting);
  await replanReminders(trx, log, setting, nowMs);
  return [{ ...setting, value: readSetting(setting.scope, before.value, log) }];
}

export async function dropSetting(trx: Database, log: Log, setting: SettingKey, nowMs: number): Promise<void> {
  for (const { value } of await tombstone(trx, log, setting, nowMs))
    await recordSetting(trx, "delete", setting, value, null);
}

/** Removes settings on a user's behalf. @throws AppError `conflict` if a source owns them */
export async function removeSetting(deps: Deps, setting: SettingKey): Promise<void> {
  await refuseOwnedSettings(deps.db, deps.log, setting, null);
  await removeSettings(deps, [setting], async (trx, removed) => {
    for (const { value } of removed) await recordSetting(trx, "delete", setting, value, null);
  });
}

/** Records a change in the audit log. Global settings that were never set had their defaults. */
function recordSetting(
  trx: Database,
  action: "update" | "delete",
  { scope, targetId }: SettingKey,
  before: NotificationSettings | null | undefined,
  after: NotificationSettings | null,
): Promise<void> {
  const unset = isGlobal(scope) ? defaultSettings(scope) : null;
  const [type, Type] = targetTypeOf(scope) === "agent" ? ["agents", "Agent"] : ["monitors", "Monitor"];
  const target = isGlobal(scope)
    ? { id: scope, name: `All ${type}` }
    : { id: `${scope}-${targetId}`, name: `${Type} ${targetId}` };
  const [from, to] = [before ?? unset, after ?? unset];
  return record(trx, "notifier", {
    action,
    target: { type: "settings", ...target },
    before: from && shown(from),
    after: to && shown(to),
  });
}

const retentionMs = 24 * 3_600_000;

/** Deletes tombstones after a day, when all consumers have seen them. */
export async function purgeSettings(db: Database, nowMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    const gone = await trx<SettingRow>("settings")
      .where("deleted_at_ms", "<", nowMs - retentionMs)
      .delete()
      .returning<SettingKey[]>(["scope", "target_id"]);
    // The relay deletes keys without a row from the bucket.
    for (const setting of gone) await enqueueThresholds(trx, setting);
  });
}

/**
 * Applies changed settings to open incidents: the next reminder is due one cooldown after the last notification, and
 * alerts deferred by quiet hours are decided again. Global settings do not affect targets with their own.
 */
export async function replanReminders(
  trx: Database,
  log: Log,
  { scope, targetId }: SettingKey,
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
  const target = { type, id: targetId };
  const policy = (await loadPolicies(trx, log, [target]))(target);
  for (const kind of incidentKinds) {
    await trx.raw(
      `update incidents set reminder_due_at_ms = (
         select max(at_ms) + :afterMs::bigint from decisions
         where incident_id = incidents.id and outcome = 'sent' and moment <> 'closed' and moment not like 'step:%'
       )
       where closed_at_ms is null and acknowledged_at_ms is null and drill_id is null and kind = :kind
         and ${concerned.sql}`,
      { ...concerned.values, kind, afterMs: reminderAfterMs(policy, kind) },
    );
  }
  await trx.raw(
    `update decisions set until_ms = :nowMs::bigint from incidents
     where incidents.id = decisions.incident_id and outcome = 'held' and reason = 'quiet_hours' and ${concerned.sql}`,
    concerned.values,
  );
}
