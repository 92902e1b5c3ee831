import { type AppliedKind, fieldChanges } from "@sonde/domain/managed/apply";
import { type ConfigIds, missing } from "@sonde/domain/managed/ids";
import type { SettingsRule } from "@sonde/proto/http/notifications/rules";
import type { NotificationSettings, SettingScope } from "@sonde/proto/http/notifications/settings";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import { dropSetting, globalIds, writeSettings } from "../settings/settings.ts";
import { defaultSettings, type NewSetting, readSettings } from "../settings/store.ts";

type WrittenRule = Omit<SettingsRule<string>, "policyId"> & { policy?: string };
type SettingsKind = AppliedKind<NewSetting, NewSetting>;
const globalScope = (id: number) => (id === globalIds["global-agent"] ? "global-agent" : "global-monitor");

export const settingsOf = (ctx: Context, ids: ConfigIds): SettingsKind => ({
  kind: "settings",
  idOf: ({ key }) => globalIds[key === "agents" ? "global-agent" : "global-monitor"],
  find: async (trx, wanted) => {
    const keys = wanted.map((id) => ({ scope: globalScope(id), targetId: 0 }) as const);
    const set = await readSettings(trx, ctx.log, keys);
    return new Map(
      wanted.map((id) => {
        const scope = globalScope(id);
        const value = set.find((one) => one.scope === scope)?.value ?? defaultSettings(scope);
        return [id, { scope, targetId: 0, value }];
      }),
    );
  },
  plan: async (line, before, dropped) => planSettings(line, before!, dropped, ids),
  write: (trx, written) => writeAll(ctx, trx, written),
  remove: (trx, removed) =>
    writeSettings(
      trx,
      ctx.log,
      removed.map(({ stored: { value, ...key }, fields }) => ({ ...key, value: reset(key.scope, value, fields) })),
      ctx.clock.now(),
    ),
});

export const notifyOf = (ctx: Context, ids: ConfigIds): SettingsKind => ({
  kind: "notify",
  idOf: ({ key }) => ids.get("monitor", key) ?? 0,
  find: async (trx, wanted) => {
    const keys = wanted.map((targetId) => ({ scope: "monitor", targetId }) as const);
    return new Map((await readSettings(trx, ctx.log, keys)).map((one) => [one.targetId, one]));
  },
  plan: async (line, before, dropped) => {
    const targetId = ids.get("monitor", line.key);
    if (targetId === undefined) throw missing(`monitors.${line.key}`, "");
    return planSettings(
      line,
      before ?? { scope: "monitor", targetId, value: defaultSettings("monitor") },
      dropped,
      ids,
    );
  },
  write: (trx, written) => writeAll(ctx, trx, written),
  remove: async (trx, removed) => {
    for (const { id } of removed) await dropSetting(trx, ctx.log, { scope: "monitor", targetId: id }, ctx.clock.now());
  },
});

async function writeAll(ctx: Context, trx: Context["db"], written: readonly { next: NewSetting }[]) {
  await writeSettings(
    trx,
    ctx.log,
    written.map(({ next }) => next),
    ctx.clock.now(),
  );
  return new Map<string, number>();
}

/** @throws AppError `invalid` for a key that is not in the document */
function planSettings(line: ConfigLine, before: NewSetting, dropped: readonly string[], ids: ConfigIds) {
  const { channels, rules, template, policy, ...fields } = line.fields;
  const idOf = (kind: "channel" | "template" | "policy", key: string, path: string) => {
    const id = ids.get(kind, key);
    if (id === undefined) throw missing(`${kind === "policy" ? "policies" : `${kind}s`}.${key}`, path);
    return id;
  };
  // 0: the channel has no reserved id, so it is left out.
  const channelIds = (keys: readonly unknown[], path: string) =>
    keys.map((key, at) => idOf("channel", String(key), `${path}.${at}`)).filter((id) => id !== 0);
  const given = {
    ...fields,
    ...(Array.isArray(channels) && { channels: channelIds(channels, "channels") }),
    ...(Array.isArray(rules) && {
      rules: (rules as WrittenRule[]).flatMap(({ tags, channels: keys, policy: key }, at) => {
        const ids = channelIds(keys, `rules.${at}.channels`);
        const policyId = key === undefined ? 0 : idOf("policy", key, `rules.${at}.policy`);
        return ids.length === 0 ? [] : [{ tags, channels: ids, ...(policyId !== 0 && { policyId }) }];
      }),
    }),
    ...(template !== undefined && {
      templateId: typeof template === "string" ? idOf("template", template, "template") || null : null,
    }),
    ...(policy !== undefined && {
      policyId: typeof policy === "string" ? idOf("policy", policy, "policy") || null : null,
    }),
  };
  const value = { ...reset(before.scope, before.value, dropped), ...given } as NotificationSettings;
  const keysOf = (wanted: readonly number[]) => wanted.map((id) => ids.keyOf("channel", id));
  const shown = ({ channels: wanted, rules: ordered, templateId, policyId, ...rest }: NotificationSettings) => ({
    ...rest,
    channels: keysOf(wanted),
    rules: ordered?.map(({ policyId: id, ...rule }) => ({
      ...rule,
      channels: keysOf(rule.channels),
      ...(id !== undefined && { policy: ids.keyOf("policy", id) }),
    })),
    template: templateId == null ? undefined : ids.keyOf("template", templateId),
    policy: policyId == null ? undefined : ids.keyOf("policy", policyId),
  });
  const [old, next] = [comparable(before.value), comparable(value)];
  return {
    next: { ...before, value },
    changes: fieldChanges({ before: old, after: next }, { before: shown(before.value), after: shown(value) }),
  };
}

const sorted = (ids: readonly number[]) => [...ids].sort((one, other) => one - other);

/** Treats absent, empty and null alike, and ignores the order of channels. */
const comparable = ({
  channels,
  rules = [],
  templateId,
  policyId,
  quietHours,
  language,
  ...rest
}: NotificationSettings) => ({
  ...rest,
  channels: sorted(channels),
  rules: rules.map((rule) => ({ ...rule, channels: sorted(rule.channels) })),
  template: templateId ?? undefined,
  policy: policyId ?? undefined,
  quietHours: quietHours ?? undefined,
  language: language ?? undefined,
});

function reset(scope: SettingScope, value: NotificationSettings, fields: readonly string[]): NotificationSettings {
  const defaults = defaultSettings(scope) as Record<string, unknown>;
  const idFields: Readonly<Record<string, string>> = { template: "templateId", policy: "policyId" };
  const names = fields.map((field) => idFields[field] ?? field);
  return {
    ...value,
    ...Object.fromEntries(names.map((name) => [name, defaults[name]])),
  } as NotificationSettings;
}
