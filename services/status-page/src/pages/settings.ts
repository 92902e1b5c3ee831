import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { record } from "@sonde/kit/audit";
import { ownersOf } from "@sonde/kit/managed/table";
import type { ManagedBy } from "@sonde/proto/http/config/managed";
import { isDeepStrictEqual } from "node:util";
import { AppError, invalid } from "@sonde/kit/errors";
import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import {
  configFault,
  type StatusConfig,
  type StatusConfigInput,
  defaultStatusConfig,
  statusConfig,
} from "@sonde/proto/http/status/config";
import type { Log } from "@sonde/kit/service/log";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import * as z from "zod";
import type { Context } from "../context.ts";
import { askExisting, type ExistingTargets, missingFaults, keyOf, shownTargets } from "../collect/targets.ts";

type Ctx = Pick<Context, "db" | "log" | "sources">;

export const allExist: ExistingTargets = { has: () => true };
/** The gateway waits four seconds in all. */
const askMs = 2500;

/** The default page's configuration, without deleted targets; as stored while those are not known. */
export async function getConfig(ctx: Ctx): Promise<StatusConfig> {
  const { config } = await orUnavailable(() => readConfig(ctx.db, ctx.log));
  return existingIn(ctx, config);
}

/** A configuration without deleted targets; all of it while those are not known. */
export async function existingIn(ctx: Pick<Ctx, "sources">, config: StatusConfig): Promise<StatusConfig> {
  const existing = await askExisting(ctx.sources, namedBy(config), askMs).catch(() => allExist);
  return keepExisting(config, existing);
}

/**
 * Checks a part of a configuration, of which absent fields are unchanged, and answers how it changes the stored one.
 * @throws AppError `invalid`, `impossible` (with paths), `unavailable`
 */
export async function prepareChange(
  ctx: Pick<Ctx, "sources">,
  input: StatusConfigInput,
  before: StatusConfig,
): Promise<(stored: StatusConfig) => StatusConfig> {
  const existing = await checkTargets(ctx, input, before);
  await checkChannel(ctx, input, before);
  return (stored) => merge(stored, input, existing);
}

/** Saves a configuration, which the audit keeps. */
export async function saveConfig(
  trx: Database,
  before: StatusConfig,
  next: StatusConfig,
  nowMs: number,
): Promise<void> {
  await writeConfig(trx, next, nowMs);
  const target = { type: "page", id: defaultSlug, name: next.title } as const;
  await record(trx, "status-page", { action: "update", target, before, after: next });
}

/** The default page, as `managed` knows it. */
export const pageId = 1;

/** The source that owns some of its fields. */
export const getPageOwner = async ({ db }: Pick<Ctx, "db">): Promise<ManagedBy | undefined> =>
  (await orUnavailable(() => ownersOf(db, "page", [pageId]))).get(pageId);

export const changedSettings = (before: StatusConfig, after: StatusConfig): (keyof StatusConfig)[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

/** What saving an input would make of the configuration. @throws as `updateConfig` does */
export async function mergeConfig(ctx: Ctx, input: StatusConfigInput, slug?: string): Promise<StatusConfig> {
  const { config: before } = await orUnavailable(() => readConfig(ctx.db, ctx.log, slug));
  return merge(before, input, await checkTargets(ctx, input, before));
}

/** Queries which targets of the new configuration exist. */
async function checkTargets(
  ctx: Pick<Ctx, "sources">,
  input: StatusConfigInput,
  before: StatusConfig,
): Promise<ExistingTargets> {
  const targets = namedBy({ ...before, ...input });
  try {
    const existing = await askExisting(ctx.sources, targets, askMs);
    requireExisting(input, before, existing);
    return existing;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    // What names nothing new can be saved all the same.
    const known = new Set(namedBy(before).map(keyOf));
    if (targets.some((target) => !known.has(keyOf(target)))) throw error;
    return allExist;
  }
}

const mailTypes = ["smtp", "resend"];

async function checkChannel(
  { sources }: Pick<Ctx, "sources">,
  input: StatusConfigInput,
  before: StatusConfig,
): Promise<void> {
  const channelId = input.subscriptions?.channelId ?? null;
  if (channelId === null || channelId === before.subscriptions.channelId) return;
  const { channels } = await sources.notifications.listChannels({}, { timeoutMs: askMs });
  const channel = channels.find(({ id }) => id === channelId);
  if (channel !== undefined && mailTypes.includes(channel.type)) return;
  const message =
    channel === undefined ? "Notification channel does not exist" : "Choose a channel of type SMTP or Resend";
  throw new AppError("impossible", "The request is not valid", {
    details: [{ path: "subscriptions.channelId", message }],
  });
}

/** @throws AppError `invalid`, with the path */
export function merge(before: StatusConfig, input: StatusConfigInput, existing: ExistingTargets): StatusConfig {
  const merged = { ...before, ...input };
  // Groups that were not sent follow the page's targets; ones that were sent must match them.
  const fitting = input.groups === undefined ? keepShown(merged) : merged;
  const fault = configFault(fitting);
  if (fault !== null) throw invalid([{ ...fault, path: fault.path.join(".") }]);
  return keepExisting(fitting, existing);
}

/** A configuration without missing targets. */
function keepExisting(config: StatusConfig, existing: ExistingTargets): StatusConfig {
  return keepShown({
    ...config,
    monitors: config.monitors.filter((id) => existing.has({ type: "monitor", id })),
    agents: config.agents.filter((id) => existing.has({ type: "agent", id })),
    names: config.names.filter((target) => existing.has(target)),
  });
}

/** Every target that a configuration names. */
const namedBy = (config: StatusConfig): TargetRef[] => [...shownTargets(config), ...config.names];

/**
 * Rejects newly named targets that do not exist. Those stored before may have been deleted since: they are left out of
 * what is saved, without an error.
 * @throws AppError `impossible`, with the path of each
 */
function requireExisting(input: StatusConfigInput, before: StatusConfig, existing: ExistingTargets): void {
  const known = new Set(namedBy(before).map(keyOf));
  const details = missingFaults(input, (target) => existing.has(target) || known.has(keyOf(target)));
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

/** `updatedAtMs`: epoch milliseconds; null: never saved, the defaults apply. */
type StoredStatusConfig = { config: StatusConfig; updatedAtMs: number | null };

type Row = { slug: string; config: unknown; updatedAtMs: number };

/** A page's configuration, whole. */
export async function readConfig(
  db: Database,
  log: Pick<Log, "error">,
  slug = defaultSlug,
): Promise<StoredStatusConfig> {
  const row = await db<Row>("pages").where({ slug }).first("config", "updatedAtMs");
  return { config: readStored(row?.config, log), updatedAtMs: row?.updatedAtMs ?? null };
}

export async function writeConfig(db: Database, config: StatusConfig, updatedAtMs: number): Promise<void> {
  await db("pages")
    .insert({ slug: defaultSlug, config: JSON.stringify(config), updatedAtMs })
    .onConflict("slug")
    .merge();
}

const { shape } = statusConfig;

// What another version stored beside is overlooked.
const readable = {
  ...shape,
  theme: z.object(shape.theme.shape),
  groups: z.array(z.object(shape.groups.element.shape)),
  names: z.array(z.object(shape.names.element.shape)),
  subscriptions: z.object(shape.subscriptions.shape),
};
const fields = Object.keys(shape) as (keyof StatusConfig)[];

/** A configuration as it was stored, by whichever version: a field that is missing or cannot be read has its default. */
export function readStored(value: unknown, log: Pick<Log, "error">): StatusConfig {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const read = fields.flatMap((field) => {
    if (given[field] === undefined) return [];
    const { data, error } = (readable[field] as z.ZodType).safeParse(given[field]);
    if (error === undefined) return [[field, data]];
    log.error({ err: error, field }, "a stored setting of the page cannot be read; its default holds");
    return [];
  });
  return keepShown({ ...defaultStatusConfig, ...Object.fromEntries(read) });
}

/** Without groups' entries that the page does not show, or that an earlier group has. */
function keepShown(config: StatusConfig): StatusConfig {
  const taken = new Set<string>();
  const first = (kind: "monitors" | "agents") => (id: number) => {
    const key = `${kind}:${id}`;
    if (taken.has(key) || !config[kind].includes(id)) return false;
    taken.add(key);
    return true;
  };
  const groups = config.groups.map((group) => ({
    ...group,
    monitors: group.monitors.filter(first("monitors")),
    agents: group.agents.filter(first("agents")),
  }));
  return { ...config, groups };
}
