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
import { readWhole } from "./store.ts";
import { dayMs } from "../compose/days.ts";
import { askExisting, keyOf, missingFaults, targetsOf } from "../collect/targets.ts";

/** One, with its updates. @throws AppError `not_found` */
export async function getAnnouncement({ db }: { db: Database }, id: number): Promise<Announcement> {
  const [found] = await readWhole(db, [id]);
  if (found === undefined) throw missing();
  return found;
}

/**
 * Announces an incident, with its first update if a text is given; subscribers are notified of that update.
 * @throws AppError `impossible`: something that it names does not exist (with paths), or there are too many
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

/** Keeps a change in the audit. */
const recordAnnouncement = (
  trx: Database,
  action: AuditAction,
  { id, title }: Pick<Announcement, "id" | "title">,
  sides: { before?: Partial<Announcement>; after?: Partial<Announcement> & { text?: string } },
): Promise<void> => record(trx, "status-page", { action, target: { type: "announcement", id, name: title }, ...sides });

/** Adds an update, and the mailing about it. */
async function insertUpdate(trx: Database, update: Parameters<typeof store.insertUpdate>[1]): Promise<void> {
  const { announcementId, nowMs } = update;
  const updateId = await store.insertUpdate(trx, update);
  await queueUpdateMailing(trx, { announcementId, updateId, nowMs });
}

/**
 * Changes an announcement except its updates; absent fields are unchanged, and an empty post-mortem is none.
 * @throws AppError `not_found`; `impossible`: something that it names does not exist
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
 * Adds an update, which becomes the announcement's state: `resolved` ends it, any other state opens it again.
 * Subscribers are notified.
 * @throws AppError `not_found`; `impossible`: there are too many updates, or open announcements
 */
export function addUpdate(
  ctx: Context,
  { id, state, text }: z.output<typeof announcementUpdateInput> & { id: number },
): Promise<Announcement> {
  return changing(ctx, async (trx, nowMs) => {
    // In the order that creating has: of two locks the same is always taken first.
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

/** Deletes it with its updates, and with unsent mails. @throws AppError `not_found` */
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
 * Checks that each monitor, agent and incident that an announcement names exists. Targets named before may have been
 * deleted since; they stay and are not checked.
 * @param before the targets named so far
 * @throws AppError `impossible` with the path of each that does not exist (`monitors.0`); `unavailable`
 */
async function refuseUnknown(sources: Sources, named: NamedTargets, before: NamedTargets = {}): Promise<void> {
  const { monitors = [], agents = [], incidentId } = named;
  const known = targetsOf(before.monitors ?? [], before.agents ?? []);
  const isKnown = new Set(known.map(keyOf));
  const [existing, isUnknownIncident] = await Promise.all([
    askExisting(
      sources,
      targetsOf(monitors, agents).filter((target) => !isKnown.has(keyOf(target))),
    ),
    incidentId == null || incidentId === before.incidentId ? false : isUnknown(sources, incidentId),
  ]);
  const faults = missingFaults({ monitors, agents }, existing, known);
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
/** Open and resolved together. */
const maxAnnouncements = 5000;
export const maxUpdates = 200;
/** Of all updates of one announcement: with a post-mortem it fits one message of the bus (1 MiB). */
export const maxTextBytes = 400_000;

const missing = () => new AppError("not_found", "Announcement does not exist");
const full = (message: Message, max: number) => new AppError("impossible", message, { params: { max } });

/** @throws AppError `impossible` if there is no room for another */
function refuseTooMany(counted: { open: number; all: number }, isOpen: boolean): void {
  if (isOpen && counted.open >= maxOpen) {
    throw full("The limit of {max} open announcements is reached: resolve one first", maxOpen);
  }
  if (counted.all >= maxAnnouncements) {
    throw full("The limit of {max} announcements is reached: delete one first", maxAnnouncements);
  }
}

/** Of the last 24 hours: each may be mailed to every subscriber. */
const maxPerDay = 100;

/** @throws AppError `too_many` where as many were made within a day as may be; `oldestMs` is when the first of them was */
function refuseTooManyADay({ count, oldestMs }: { count: number; oldestMs: number | null }, nowMs: number): void {
  if (count < maxPerDay || oldestMs === null) return;
  throw new AppError("too_many", "At most {max} announcements per day", {
    params: { max: maxPerDay },
    retryAfterSeconds: Math.max(1, Math.ceil((oldestMs + dayMs - nowMs) / 1000)),
  });
}

/** @throws AppError `impossible` where an announcement has no room for another update */
function refuseTooLong(updates: { count: number; bytes: number }, text: string): void {
  if (updates.count >= maxUpdates) throw full("An announcement can have at most {max} updates", maxUpdates);
  if (updates.bytes + Buffer.byteLength(text) > maxTextBytes) {
    throw full("The updates of this announcement are too long in total (maximum {max} bytes)", maxTextBytes);
  }
}
