import { type AppliedKind, type FieldChange } from "@sonde/domain/managed/apply";
import { type ConfigIds, missing } from "@sonde/domain/managed/ids";
import type { ConfigDocument } from "@sonde/proto/http/config/document";
import { defaultStatusConfig, type StatusConfig, type StatusConfigInput } from "@sonde/proto/http/status/config";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import { changedSettings, merge } from "../pages/config.ts";
import { refuseUnsafeCss } from "../pages/css.ts";
import { recordPage } from "../pages/pages.ts";
import { allExist, pageId } from "../pages/settings.ts";
import { lockPages, readDefaultPage, writePage } from "../pages/store.ts";

type PageFields = NonNullable<ConfigDocument["page"]>;

export function pageOf(ctx: Context, ids: ConfigIds): AppliedKind<StatusConfig, StatusConfigInput> {
  const save = async (trx: Context["db"], input: StatusConfigInput) => {
    await lockPages(trx);
    const page = await readDefaultPage(trx, ctx.log);
    const next = { ...page, config: merge(page.config, input, allExist), updatedAtMs: ctx.clock.now() };
    await writePage(trx, next);
    await recordPage(trx, "update", page, next);
  };
  return {
    kind: "page",
    idOf: () => pageId,
    find: async (trx, wanted) => {
      const { config } = await readDefaultPage(trx, ctx.log);
      return new Map(wanted.map((id) => [id, config]));
    },
    plan: async (line, before, dropped) => {
      const input = { ...resetOf(dropped), ...inputOf(line, ids) };
      await refuseUnsafeCss(input);
      return { next: input, changes: changesOf(before!, merge(before!, input, allExist), ids) };
    },
    write: async (trx, written) => {
      for (const { next } of written) await save(trx, next);
      return new Map();
    },
    remove: async (trx, removed) => {
      for (const { fields } of removed) await save(trx, resetOf(fields));
    },
  };
}

const resetOf = (fields: readonly string[]): StatusConfigInput =>
  Object.fromEntries(fields.map((field) => [field, defaultStatusConfig[field as keyof StatusConfig]]));

/** Replaces keys and names by ids. @throws AppError if a target or channel does not exist */
function inputOf({ fields }: ConfigLine, ids: ConfigIds): StatusConfigInput {
  const { monitors, agents, groups, names, subscriptions, ...rest } = fields as PageFields;
  const of = (type: "monitor" | "agent", given: readonly string[], path: string) =>
    given.map((name, at) => ids.target(`${type}:${name}`, `${path}.${at}`).id);
  return {
    ...rest,
    ...(monitors && { monitors: of("monitor", monitors, "monitors") }),
    ...(agents && { agents: of("agent", agents, "agents") }),
    ...(groups && {
      groups: groups.map(({ name, monitors: own = [], agents: others = [] }, at) => ({
        name,
        monitors: of("monitor", own, `groups.${at}.monitors`),
        agents: of("agent", others, `groups.${at}.agents`),
      })),
    }),
    ...(names && {
      names: names.map(({ target, name }, at) => ({ ...ids.target(target, `names.${at}.target`), name })),
    }),
    ...(subscriptions && { subscriptions: subscriptionsOf(subscriptions, ids) }),
  };
}

function subscriptionsOf({ enabled = false, channel }: NonNullable<PageFields["subscriptions"]>, ids: ConfigIds) {
  if (channel == null) return { enabled, channelId: null };
  const channelId = ids.get("channel", channel);
  if (channelId === undefined) throw missing(`channels.${channel}`, "subscriptions.channel");
  return { enabled, channelId };
}

function changesOf(before: StatusConfig, after: StatusConfig, { keyOf }: ConfigIds): FieldChange[] {
  const shown = ({
    monitors,
    agents,
    groups,
    names,
    subscriptions,
    ...rest
  }: StatusConfig): Record<string, unknown> => ({
    ...rest,
    monitors: monitors.map((id) => keyOf("monitor", id)),
    agents: agents.map((id) => keyOf("agent", id)),
    groups: groups.map((group) => ({
      name: group.name,
      monitors: group.monitors.map((id) => keyOf("monitor", id)),
      agents: group.agents.map((id) => keyOf("agent", id)),
    })),
    names: names.map(({ type, id, name }) => ({ target: `${type}:${keyOf(type, id)}`, name })),
    subscriptions: {
      enabled: subscriptions.enabled,
      channel: subscriptions.channelId === null ? null : keyOf("channel", subscriptions.channelId),
    },
  });
  const [old, next] = [shown(before), shown(after)];
  return changedSettings(before, after).map((path) => ({ path, from: old[path], to: next[path] }));
}
