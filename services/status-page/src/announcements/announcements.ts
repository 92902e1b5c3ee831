import * as store from "./store.ts";
import { record } from "@sonde/domain/audit";
import type { Database } from "@sonde/kit/postgres/database";
import type { AuditAction } from "@sonde/proto/http/audit";
import type {
  Announcement,
  announcementInput,
  announcementPatch,
  announcementUpdateInput,
} from "@sonde/proto/http/status/announcements";
import type { z } from "zod";
import { AppError, impossible } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import { changing, type Context } from "../context.ts";
import { deleteAllOf, queueUpdateMailing } from "../mails/mailings.ts";
import { refuseUnknownPages } from "../pages/store.ts";
import { readAnnouncements } from "./store.ts";
import { dayMs } from "../compose/days.ts";
import { queryExisting, keyOf, missingTargetErrors, targetsOf } from "../collect/targets.ts";

/** @throws AppError `not_found` */
export async function getAnnouncement({ db }: { db: Database }, id: number): Promise<Announcement> {
  const [found] = await readAnnouncements(db, [id]);
  if (found === undefined) throw missing();
  return found;
}

/**
 * Creates an announcement, with a first update if a text is given, of which subscribers are notified.
 * @throws AppError `impossible` if something it refers to does not exist (with paths), or there are too many
 */
export async function createAnnouncement(
  ctx: Context,
  input: z.output<typeof announcementInput>,
): Promise<Announcement> {
  await refuseUnknown(ctx.sources, input);
  const { title, impact, monitors, agents, incidentId = null, pages = null, state, text = "" } = input;
  return changing(ctx, async (trx, nowMs) => {
    await refuseUnknownPages(trx, pages);
    refuseTooMany(await store.countForUpdate(trx), state !== "resolved");
    refuseTooManyADay(await store.countSince(trx, nowMs - dayMs), nowMs);
    const fields = { title, impact, monitorIds: monitors, agentIds: agents, incidentId, pages };
    const announcementId = await store.insert(trx, { ...fields, state, nowMs });
    if (text.trim() !== "") await insertUpdate(trx, { announcementId, state, text, nowMs });
    const made = await getAnnouncement({ db: trx }, announcementId);
    await recordAnnouncement(trx, "create", made, { after: made });
    return made;
  });
}

const recordAnnouncement = (
  trx: Database,
  action: AuditAction,
  { id, title }: Pick<Announcement, "id" | "title">,
  sides: { before?: Partial<Announcement>; after?: Partial<Announcement> & { text?: string } },
): Promise<void> => record(trx, "status-page", { action, target: { type: "announcement", id, name: title }, ...sides });

async function insertUpdate(trx: Database, update: Parameters<typeof store.insertUpdate>[1]): Promise<void> {
  const { announcementId, nowMs } = update;
  const updateId = await store.insertUpdate(trx, update);
  await queueUpdateMailing(trx, { announcementId, updateId, nowMs });
}

/**
 * Changes the given fields of an announcement, except its updates. An empty post-mortem removes it.
 * @throws AppError `not_found`, or `impossible` if something it refers to does not exist
 */
export async function updateAnnouncement(
  ctx: Context,
  { id, ...input }: z.output<typeof announcementPatch> & { id: number },
): Promise<Announcement> {
  await refuseUnknown(ctx.sources, input, await getAnnouncement(ctx, id));
  const { monitors: monitorIds, agents: agentIds, ...rest } = input;
  const postMortem = input.postMortem === "" ? null : input.postMortem;
  return changing(ctx, async (trx, nowMs) => {
    if ((await store.lock(trx, id)) === undefined) throw missing();
    const before = await getAnnouncement({ db: trx }, id);
    await refuseUnknownPages(trx, input.pages, before.pages);
    await store.change(trx, id, { ...rest, postMortem, monitorIds, agentIds }, nowMs);
    const after = await getAnnouncement({ db: trx }, id);
    await recordAnnouncement(trx, "update", after, { before, after });
    return after;
  });
}

/**
 * Adds an update, whose state becomes the announcement's: `resolved` closes it, any other state reopens it. Subscribers
 * are notified.
 * @throws AppError `not_found`, or `impossible` if there are too many updates or open announcements
 */
export function addUpdate(
  ctx: Context,
  { id, state, text }: z.output<typeof announcementUpdateInput> & { id: number },
): Promise<Announcement> {
  return changing(ctx, async (trx, nowMs) => {
    // Takes both locks in the same order as `createAnnouncement`.
    const counted = await store.countForUpdate(trx);
    const before = await store.lock(trx, id);
    if (before === undefined) throw missing();
    const isReopened = before.resolvedAtMs !== null && state !== "resolved";
    if (isReopened) refuseTooMany({ ...counted, all: 0 }, true);
    refuseTooLong(await store.measureUpdates(trx, id), text);
    const resolvedAtMs = state === "resolved" ? (before.resolvedAtMs ?? nowMs) : null;
    await store.change(trx, id, { state, resolvedAtMs }, nowMs);
    await insertUpdate(trx, { announcementId: id, state, text, nowMs });
    await recordAnnouncement(trx, "update", before, { before: { state: before.state }, after: { state, text } });
    return getAnnouncement({ db: trx }, id);
  });
}

/** Deletes an announcement with its updates and unsent mails. @throws AppError `not_found` */
export const removeAnnouncement = (ctx: Context, id: number): Promise<void> =>
  changing(ctx, async (trx) => {
    const before = await getAnnouncement({ db: trx }, id);
    if (!(await store.deleteAnnouncement(trx, id))) throw missing();
    await deleteAllOf(trx, `announcement:${id}`);
    await recordAnnouncement(trx, "delete", before, { before });
  });

type Sources = Pick<Context["sources"], "monitors" | "agents" | "incidents">;
type NamedTargets = { monitors?: number[]; agents?: number[]; incidentId?: string | null };

/**
 * Checks that monitors, agents and the incident exist. Targets that the announcement already had may have been deleted
 * and are not checked.
 * @param before the announcement's current targets
 * @throws AppError `impossible` with the path of each missing one (`monitors.0`), or `unavailable`
 */
async function refuseUnknown(sources: Sources, named: NamedTargets, before: NamedTargets = {}): Promise<void> {
  const { monitors = [], agents = [], incidentId } = named;
  const known = targetsOf(before.monitors ?? [], before.agents ?? []);
  const isKnown = new Set(known.map(keyOf));
  const [existing, isUnknownIncident] = await Promise.all([
    queryExisting(
      sources,
      targetsOf(monitors, agents).filter((target) => !isKnown.has(keyOf(target))),
    ),
    incidentId == null || incidentId === before.incidentId ? false : isUnknown(sources, incidentId),
  ]);
  const faults = missingTargetErrors({ monitors, agents }, existing, known);
  if (isUnknownIncident) faults.push({ path: "incidentId", message: "Incident does not exist" });
  if (faults.length > 0) throw impossible(faults);
}

async function isUnknown({ incidents }: Sources, id: string): Promise<boolean> {
  try {
    await incidents.getIncident({ id }, { scope: id.startsWith("a") ? "agents" : "monitors" });
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return true;
    throw error;
  }
}

export const maxOpen = 100;
/** Open and resolved. */
const maxAnnouncements = 5000;
export const maxUpdates = 200;
/** For all updates of an announcement: with the post-mortem they must fit into one bus message (1 MiB). */
export const maxTextBytes = 400_000;

const missing = () => new AppError("not_found", "Announcement does not exist");
const full = (message: Message, max: number) => new AppError("impossible", message, { params: { max } });

/** @throws AppError `impossible` if there is no room for another */
function refuseTooMany(counted: { open: number; all: number }, isOpen: boolean): void {
  if (isOpen && counted.open >= maxOpen) {
    throw full("The limit of {max} open announcements has been reached: resolve one first", maxOpen);
  }
  if (counted.all >= maxAnnouncements) {
    throw full("The limit of {max} announcements has been reached: delete one first", maxAnnouncements);
  }
}

/** In 24 hours, because each may be mailed to every subscriber. */
const maxPerDay = 100;

/** `oldestMs`: when the first of the day was created. @throws AppError `too_many` */
function refuseTooManyADay({ count, oldestMs }: { count: number; oldestMs: number | null }, nowMs: number): void {
  if (count < maxPerDay || oldestMs === null) return;
  throw new AppError("too_many", "At most {max} announcements per day", {
    params: { max: maxPerDay },
    retryAfterSeconds: Math.max(1, Math.ceil((oldestMs + dayMs - nowMs) / 1000)),
  });
}

/** @throws AppError `impossible` if an announcement has no room for another update */
function refuseTooLong(updates: { count: number; bytes: number }, text: string): void {
  if (updates.count >= maxUpdates) throw full("An announcement can have at most {max} updates", maxUpdates);
  if (updates.bytes + Buffer.byteLength(text) > maxTextBytes) {
    throw full("The updates of this announcement are too long in total (maximum {max} bytes)", maxTextBytes);
  }
}
