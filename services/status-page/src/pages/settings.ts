import { AppError, impossible } from "@sonde/kit/errors";
import { ownersOf } from "@sonde/domain/managed/table";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { ManagedBy } from "@sonde/proto/http/config/managed";
import { defaultStatusConfig, type StatusConfig, type StatusConfigInput } from "@sonde/proto/http/status/config";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { askExisting, type ExistingTargets, keyOf, missingFaults } from "../collect/targets.ts";
import type { Context } from "../context.ts";
import { keepExisting, merge, namedBy } from "./config.ts";
import { loadPage } from "./store.ts";

type Ctx = Pick<Context, "db" | "log" | "sources">;

export const allExist: ExistingTargets = { has: () => true };
/** The gateway waits four seconds in all. */
const askMs = 2500;

/** A page's configuration as stored; of a missing page the default one. */
export const readConfig = async ({ db, log }: Pick<Ctx, "db" | "log">, slug = defaultSlug): Promise<StatusConfig> =>
  (await orUnavailable(() => loadPage(db, log, slug)))?.config ?? defaultStatusConfig;

/** The default page's configuration, without deleted targets. */
export const getConfig = async (ctx: Ctx): Promise<StatusConfig> => existingIn(ctx, await readConfig(ctx));

/** A configuration without deleted targets; all of it while they cannot be checked. */
export async function existingIn({ sources }: Pick<Ctx, "sources">, config: StatusConfig): Promise<StatusConfig> {
  const existing = await askExisting(sources, namedBy(config), askMs).catch(() => allExist);
  return keepExisting(config, existing);
}

/**
 * Checks a change of a configuration, of which absent settings stay, and returns how it changes the stored one.
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

/** The configuration that saving a change would make. @throws as `updatePage` does */
export async function previewChange(ctx: Ctx, input: StatusConfigInput, slug: string): Promise<StatusConfig> {
  const before = await readConfig(ctx, slug);
  return merge(before, input, await checkTargets(ctx, input, before));
}

/** The id of the default page in `managed`. */
export const pageId = 1;

/** The source that owns some settings of the default page. */
export const getPageOwner = async ({ db }: Pick<Ctx, "db">): Promise<ManagedBy | undefined> =>
  (await orUnavailable(() => ownersOf(db, "page", [pageId]))).get(pageId);

/**
 * Queries which targets of the new configuration exist. Targets that were stored before may have been deleted since: they
 * are left out of what is saved, without an error.
 * @throws AppError `impossible` with the path of each new one that does not exist; `unavailable`, if there are new ones
 */
async function checkTargets(
  { sources }: Pick<Ctx, "sources">,
  input: StatusConfigInput,
  before: StatusConfig,
): Promise<ExistingTargets> {
  const targets = namedBy({ ...before, ...input });
  const known = new Set(namedBy(before).map(keyOf));
  const isNew = targets.some((target) => !known.has(keyOf(target)));
  const existing = await askExisting(sources, targets, askMs).catch((error: unknown) => {
    if (isNew || !(error instanceof AppError) || error.code !== "unavailable") throw error;
    return allExist;
  });
  const faults = missingFaults(input, existing, namedBy(before));
  if (faults.length > 0) throw impossible(faults);
  return existing;
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
  const message = channel === undefined ? "Notification channel does not exist" : "Choose an SMTP or Resend channel";
  throw impossible([{ path: "subscriptions.channelId", message }]);
}
