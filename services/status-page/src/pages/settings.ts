import { AppError, impossible } from "@sonde/kit/errors";
import { ownersOf } from "@sonde/domain/managed/table";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { ManagedBy } from "@sonde/proto/http/config/managed";
import { defaultStatusConfig, type StatusConfig, type StatusConfigInput } from "@sonde/proto/http/status/config";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { queryExisting, type ExistingTargets, keyOf, missingTargetErrors } from "../collect/targets.ts";
import type { Context } from "../context.ts";
import { keepExisting, merge, namedBy } from "./config.ts";
import { refuseUnsafeCss } from "./css.ts";
import { loadPage } from "./store.ts";

type Ctx = Pick<Context, "db" | "log" | "sources">;

export const allExist: ExistingTargets = { has: () => true };
/** Short, because the gateway waits four seconds in total. */
const queryTimeoutMs = 2500;

export const readConfig = async ({ db, log }: Pick<Ctx, "db" | "log">, slug = defaultSlug): Promise<StatusConfig> =>
  (await orUnavailable(() => loadPage(db, log, slug)))?.config ?? defaultStatusConfig;

export const getConfig = async (ctx: Ctx): Promise<StatusConfig> => existingIn(ctx, await readConfig(ctx));

/** Removes deleted targets from a configuration, or none while they cannot be checked. */
export async function existingIn({ sources }: Pick<Ctx, "sources">, config: StatusConfig): Promise<StatusConfig> {
  const existing = await queryExisting(sources, namedBy(config), queryTimeoutMs).catch(() => allExist);
  return keepExisting(config, existing);
}

/** Returns a function that applies the checked change. @throws AppError `invalid`, `impossible`, `unavailable` */
export async function prepareChange(
  ctx: Pick<Ctx, "sources">,
  input: StatusConfigInput,
  before: StatusConfig,
): Promise<(stored: StatusConfig) => StatusConfig> {
  await refuseUnsafeCss(input);
  const existing = await checkTargets(ctx, input, before);
  await checkChannel(ctx, input, before);
  return (stored) => merge(stored, input, existing);
}

/** Returns the configuration that saving a change would result in. @throws as `updatePage` does */
export async function previewChange(ctx: Ctx, input: StatusConfigInput, slug: string): Promise<StatusConfig> {
  await refuseUnsafeCss(input);
  const before = await readConfig(ctx, slug);
  return merge(before, input, await checkTargets(ctx, input, before));
}

/** The default page's id in the table of owners. */
export const pageId = 1;

export const getPageOwner = async ({ db }: Pick<Ctx, "db">): Promise<ManagedBy | undefined> =>
  (await orUnavailable(() => ownersOf(db, "page", [pageId]))).get(pageId);

/**
 * Queries which targets of the new configuration exist. Already stored ones may have been deleted: they are dropped
 * without an error.
 * @throws AppError `impossible` with the path of each new one that does not exist, or `unavailable` if there are new
 * ones
 */
async function checkTargets(
  { sources }: Pick<Ctx, "sources">,
  input: StatusConfigInput,
  before: StatusConfig,
): Promise<ExistingTargets> {
  const targets = namedBy({ ...before, ...input });
  const known = new Set(namedBy(before).map(keyOf));
  const isNew = targets.some((target) => !known.has(keyOf(target)));
  const existing = await queryExisting(sources, targets, queryTimeoutMs).catch((error: unknown) => {
    if (isNew || !(error instanceof AppError) || error.code !== "unavailable") throw error;
    return allExist;
  });
  const faults = missingTargetErrors(input, existing, namedBy(before));
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
  const { channels } = await sources.notifications.listChannels({}, { timeoutMs: queryTimeoutMs });
  const channel = channels.find(({ id }) => id === channelId);
  if (channel !== undefined && mailTypes.includes(channel.type)) return;
  const message = channel === undefined ? "Notification channel does not exist" : "Choose an SMTP or Resend channel";
  throw impossible([{ path: "subscriptions.channelId", message }]);
}
