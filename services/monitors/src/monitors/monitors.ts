import type { MessageInitShape } from "@bufbuild/protobuf";
import { recordAll } from "@sonde/domain/audit";
import { AppError, toAppError } from "@sonde/kit/errors";
import { publishIncident } from "@sonde/domain/incidents/store";
import { readDependsOn } from "@sonde/domain/incidents/targets";
import { refuseOwned } from "@sonde/domain/managed/table";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvents, enqueueKeys } from "@sonde/kit/postgres/outbox";
import { changedSecrets } from "@sonde/domain/sealed-config";
import type { EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { AuditAction } from "@sonde/proto/http/audit";
import type { IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { MessageParams } from "@sonde/proto/http/fill";
import type { BulkChanges, BulkUndo } from "@sonde/proto/http/monitors/lists";
import { isPassive, notProbed } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorInput, MonitorPatch } from "@sonde/proto/http/monitors/monitors";
import { maxTagsPerTarget } from "@sonde/proto/http/tags";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { noteRemoved, noteWritten } from "../groups/changes.ts";
import { refuseMissingMembers } from "../groups/rules.ts";
import { factsOf, incidents } from "../incidents/facts.ts";
import { passOnBurns } from "../slos/incidents.ts";
import { passOnSilentLocations } from "../state/silent-locations.ts";
import { refuseTakenSlug, restartWaiting, writeAddresses } from "../heartbeats/targets.ts";
import { type Definition, inverseOf, nextState, type StoredMonitor } from "./monitor.ts";
import { changedFieldsOf, presentMonitor, shownDefinition } from "./present.ts";
import { monitorKeys } from "./projections.ts";
import { mergeInput, patchOf, patternErrors } from "./rules.ts";
import {
  findMonitor,
  insertMonitors,
  lockMonitor,
  lockMonitors,
  markDeleted,
  updateMonitor as writeRow,
} from "./store.ts";
import { addSpans } from "./timeline-store.ts";

type MonitorRef = { id: number };

/** @throws AppError not_found */
export const getMonitor = async (ctx: Context, { id }: MonitorRef): Promise<KnownMonitor> =>
  presentMonitor(ctx, await findMonitor(ctx.db, id));

/**
 * Creates a monitor; unless paused it is checked at once. For a clone, masks stand for the stored secrets of the
 * original, under the rules of an edit: a secret is never sent to another origin.
 * @throws AppError invalid, also for a mask without a secret; impossible for an unknown location
 */
export async function createMonitor(
  ctx: Context,
  { monitor: input, cloneOf }: { monitor: MonitorInput; cloneOf?: number | undefined },
): Promise<KnownMonitor> {
  const { paused = false, ...patch } = patchOf(input);
  const cloned = cloneOf === undefined ? null : await findCloned(ctx, cloneOf);
  if (!isPassive(input.type)) await ctx.locations.settled();
  const definition = mergeInput(ctx, patch, {
    before: null,
    secretsOf: cloned?.config,
    errors: await patternErrors(ctx.patterns, patch.check, null),
  });
  const monitor = await committing(ctx, async (trx) => {
    const atMs = ctx.clock.now();
    await refuseMissingMembers(trx, definition.config);
    const written = await writeMonitor(trx, null, definition, paused, atMs);
    await writeAddresses(trx, ctx.secrets, [{ before: null, monitor: written }], atMs);
    return written;
  });
  return presentMonitor(ctx, monitor);
}

/** Returns the original of a clone, or `null` if it was deleted. Its secrets are then gone, so masks are rejected. */
async function findCloned(ctx: Context, id: number): Promise<StoredMonitor | null> {
  try {
    return await findMonitor(ctx.db, id);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}

/**
 * A change that affects the check starts a new version, which is pending.
 * @throws AppError not_found, invalid, impossible
 */
export async function updateMonitor(
  ctx: Context,
  { id, patch: input }: MonitorRef & { patch: MonitorPatch },
): Promise<KnownMonitor> {
  const patch = patchOf(input);
  if (patch.dependsOn !== undefined) readDependsOn(patch.dependsOn, { type: "monitor", id });
  const current = patch.check === undefined ? null : await findMonitor(ctx.db, id);
  const errors = await patternErrors(ctx.patterns, patch.check, current?.config ?? null);
  if (patch.locations !== undefined) await ctx.locations.settled();
  const monitor = await committing(ctx, async (trx) => {
    const before = await lockMonitor(trx, id);
    const definition = mergeInput(ctx, patch, { before, errors });
    const paused = patch.paused ?? before.status === "paused";
    await refuseManaged(trx, before, { definition, paused });
    await refuseMissingMembers(trx, definition.config);
    const atMs = ctx.clock.now();
    const written = await writeMonitor(trx, before, definition, paused, atMs);
    await writeAddresses(trx, ctx.secrets, [{ before, monitor: written }], atMs);
    return written;
  });
  return presentMonitor(ctx, monitor);
}

/** Stops the checks and closes an open incident as paused. @throws AppError not_found */
export const pauseMonitor = (ctx: Context, { id }: MonitorRef) => setPaused(ctx, id, true);

/** Resumes the checks, starting with one at once. @throws AppError not_found */
export const resumeMonitor = (ctx: Context, { id }: MonitorRef) => setPaused(ctx, id, false);

async function setPaused(ctx: Context, id: number, paused: boolean): Promise<KnownMonitor> {
  const monitor = await committing(ctx, (trx) => writePaused(trx, id, paused, ctx.clock.now()));
  return presentMonitor(ctx, monitor);
}

/** @throws AppError not_found */
export async function writePaused(trx: Database, id: number, paused: boolean, atMs: number): Promise<StoredMonitor> {
  return switchPaused(trx, await lockMonitor(trx, id), paused, atMs);
}

/** Returns the same object if nothing changes. */
async function switchPaused(trx: Database, before: StoredMonitor, paused: boolean, atMs: number) {
  if ((before.status === "paused") === paused) return before;
  await refuseManaged(trx, before, { definition: before, paused });
  return writeMonitor(trx, before, before, paused, atMs);
}

/** `after` is `null` for a deletion. @throws AppError conflict if a configuration source manages a changed field */
async function refuseManaged(
  trx: Database,
  before: StoredMonitor,
  after: { definition: Definition; paused: boolean } | null,
): Promise<void> {
  const changed = after && (() => changedFieldsOf(before, after.definition, after.paused).map(({ path }) => path));
  await refuseOwned(trx, { kind: "monitor", id: before.id, name: before.name }, changed);
}

/**
 * Deletes a monitor and closes an open incident as deleted. A tombstone remains for a day. @throws AppError not_found
 */
export async function deleteMonitor(ctx: Context, { id }: MonitorRef): Promise<Record<string, never>> {
  await committing(ctx, (trx) => removeUnowned(trx, id, ctx.clock.now()));
  return {};
}

/** @throws AppError not_found; conflict if a configuration source manages the monitor */
async function removeUnowned(trx: Database, id: number, atMs: number): Promise<StoredMonitor> {
  await refuseManaged(trx, await lockMonitor(trx, id), null);
  return (await writeRemovals(trx, [id], atMs))[0]!;
}

/** Skips monitors that do not exist. */
export async function writeRemovals(trx: Database, ids: readonly number[], atMs: number): Promise<StoredMonitor[]> {
  const existing = await lockMonitors(trx, ids);
  const revisions = await markDeleted(trx, ids, atMs);
  const removed = existing.map((before) => {
    const { id, version } = before;
    return { before, monitor: { ...before, version: version + 1, revision: revisions.get(id) ?? 0 } };
  });
  const deleted = removed.map(({ monitor }) => monitor);
  await noteRemoved(trx, existing, atMs);
  await endIncidents(trx, deleted, "deleted", atMs);
  await publishChanges(trx, removed, atMs, true);
  await recordMonitors(
    trx,
    existing.map((before) => ({ action: "delete", before, after: null })),
  );
  return deleted;
}

export async function committing<Answer extends { id: number; revision: number }>(
  { db, committed }: Pick<Context, "db" | "committed">,
  run: (trx: Database) => Promise<Answer>,
): Promise<Answer> {
  const answer = await db.transaction(run).catch(refuseTakenSlug);
  committed(answer.id, answer.revision);
  return answer;
}

/** `id`: reserved id of a new monitor. */
type MonitorChange = { id?: number; before: StoredMonitor | null; definition: Definition; paused: boolean };

/** Also writes spans, closed incidents, events, bucket keys and audit entries. */
export async function writeMonitors(
  trx: Database,
  changes: readonly MonitorChange[],
  atMs: number,
): Promise<StoredMonitor[]> {
  const planned = changes.map((change) => {
    const state = nextState(change.before, change.definition, change.paused, atMs);
    return { ...change, state };
  });
  const created = await insertMonitors(
    trx,
    planned.filter(({ before }) => before === null),
  );
  const written: (MonitorChange & { monitor: StoredMonitor; newVersion: boolean })[] = [];
  for (const { state, ...change } of planned) {
    const { before, definition } = change;
    const monitor = before === null ? created.shift()! : await writeRow(trx, before.id, definition, state);
    written.push({ ...change, monitor, newVersion: state.newVersion });
  }
  await noteWritten(trx, written, atMs);
  const monitorsOf = (some: typeof written) => some.map(({ monitor }) => monitor);
  const renewed = written.filter(({ newVersion }) => newVersion);
  await addSpans(trx, monitorsOf(renewed), atMs);
  const resumed = renewed.filter(({ before, paused }) => before !== null && (before.status === "paused") !== paused);
  await restartWaiting(trx, monitorsOf(resumed), atMs);
  const edited = renewed.filter(({ before }) => before !== null);
  await endIncidents(trx, monitorsOf(edited.filter(({ paused }) => paused)), "paused", atMs);
  await endIncidents(trx, monitorsOf(edited.filter(({ paused }) => !paused)), "edited", atMs);
  await publishChanges(trx, written, atMs);
  await recordMonitors(
    trx,
    written.map(({ before, definition, paused, monitor }) => {
      const switched = paused ? "pause" : "resume";
      return {
        action: before === null ? "create" : definition === before ? switched : "update",
        before,
        after: monitor,
      };
    }),
  );
  return monitorsOf(written);
}

export async function writeMonitor(
  trx: Database,
  before: StoredMonitor | null,
  definition: Definition,
  paused: boolean,
  atMs: number,
): Promise<StoredMonitor> {
  return (await writeMonitors(trx, [{ before, definition, paused }], atMs))[0]!;
}

type Recorded = { action: AuditAction; before: StoredMonitor | null; after: StoredMonitor | null };

const recordMonitors = (trx: Database, changes: readonly Recorded[]): Promise<void> =>
  recordAll(
    trx,
    "monitors",
    changes.map(({ action, before, after }) => {
      const { id, name } = (after ?? before)!;
      return {
        action,
        target: { type: "monitor", id, name },
        before: before && shownDefinition(before),
        after: after && shownDefinition(after),
        secrets: changedSecrets(before?.config, after?.config),
      };
    }),
  );

/** Without alerts. */
async function endIncidents(
  trx: Database,
  monitors: readonly StoredMonitor[],
  resolution: IncidentResolution,
  atMs: number,
): Promise<void> {
  const ids = monitors.map(({ id }) => id);
  await passOnSilentLocations(trx, ids);
  if (resolution !== "edited") await passOnBurns(trx, ids);
  for (const { target, incident } of await incidents.closeAll(trx, monitors, resolution, atMs)) {
    await publishIncident(trx, { atMs, change: "closed", incident, quiet: true, facts: factsOf(target) });
  }
}

type Changed = { monitor: StoredMonitor; before: StoredMonitor | null };

async function publishChanges(
  trx: Database,
  changed: readonly Changed[],
  atMs: number,
  deleted = false,
): Promise<void> {
  const events = changed.map(({ monitor, before }): MessageInitShape<typeof EventSchema> => {
    const { id, name, version, revision, status, statusSinceMs } = monitor;
    const change = deleted ? "deleted" : before === null ? "created" : "updated";
    const value = { monitorId: id, name, change, status, previousStatus: before?.status ?? "", statusSinceMs };
    return { id: `m${id}:${version}:${revision}:${change}`, atMs, fact: { case: "monitor", value } };
  });
  await enqueueEvents(trx, events);
  await enqueueKeys(
    trx,
    changed.flatMap(({ monitor, before }) =>
      monitorKeys(monitor.id, [...(before?.locations ?? []), ...monitor.locations]),
    ),
  );
}

type BulkInput = z.output<(typeof monitorsContract)["methods"]["bulkMonitors"]["input"]>;
type BulkAnswer = { done: number[]; failed: BulkFailure[]; unchanged: number[]; undo?: BulkUndo[] };
type BulkFailure = { id: number; name?: string | undefined; message: string; params?: MessageParams };
type BulkChange = (trx: Database, before: StoredMonitor, atMs: number) => Promise<StoredMonitor>;

function changeOf(ctx: Context, { action, changes = {} }: Omit<BulkInput, "ids">): BulkChange {
  if (action === "delete") return (trx, { id }, atMs) => removeUnowned(trx, id, atMs);
  if (action === "edit") return (trx, before, atMs) => writeChanges(ctx, trx, before, changes, atMs);
  return (trx, before, atMs) => switchPaused(trx, before, action === "pause", atMs);
}

/** @throws AppError invalid, impossible */
async function writeChanges(
  ctx: Context,
  trx: Database,
  before: StoredMonitor,
  { addTags = [], removeTags = [], ...rest }: BulkChanges,
  atMs: number,
): Promise<StoredMonitor> {
  const { type } = before.config;
  if (isPassive(type) && Object.keys(rest).length > 0) throw new AppError("impossible", notProbed[type]);
  const tags = [...new Set([...before.tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];
  if (tags.length > maxTagsPerTarget)
    throw new AppError("impossible", "At most {max} tags are allowed", { params: { max: maxTagsPerTarget } });
  const definition = mergeInput(ctx, patchOf({ ...rest, tags }), { before });
  const isSame = isDeepStrictEqual(
    [definition.tags, definition.locations, definition.intervalMs, definition.timeoutMs],
    [before.tags, before.locations, before.intervalMs, before.timeoutMs],
  );
  if (isSame) return before;
  const paused = before.status === "paused";
  await refuseManaged(trx, before, { definition, paused });
  return writeMonitor(trx, before, definition, paused, atMs);
}

const chunkIds = 50;
const chunksAtOnce = 4;

/**
 * Applies one change to many monitors. If some cannot be changed, the others are, and `failed` lists the reasons as
 * message keys. Locks rows in order of id, so that two bulk changes cannot deadlock.
 */
export async function bulkMonitors(ctx: Context, { ids, ...input }: BulkInput): Promise<BulkAnswer> {
  const change = changeOf(ctx, input);
  const answer: BulkAnswer = { done: [], failed: [], unchanged: [] };
  if (input.changes?.locations !== undefined) await ctx.locations.settled();
  const left = [...new Set(ids)].sort((one, other) => one - other);
  const undo = new Map<string, BulkUndo>();

  const changeChunk = async (chunk: readonly number[]) => {
    const failed: BulkFailure[] = [];
    const changed: StoredMonitor[] = [];
    const inverses: [number, BulkChanges][] = [];
    const unchanged: number[] = [];
    await ctx.db.transaction(async (trx) => {
      for (const id of chunk) {
        let name: string | undefined;
        try {
          const before = await lockMonitor(trx, id);
          ({ name } = before);
          const after = await change(trx, before, ctx.clock.now());
          changed.push(after);
          if (after === before) unchanged.push(id);
          else if (input.action === "edit") inverses.push([id, inverseOf(before, after)]);
        } catch (thrown) {
          const error = toAppError(thrown);
          if (error.code === "internal") throw thrown;
          const [{ message, params } = { message: error.key, params: error.params }] = error.details;
          failed.push({ id, name, message, params });
        }
      }
    });
    for (const { id, revision } of changed) ctx.committed(id, revision);
    for (const [id, changes] of inverses) {
      const key = JSON.stringify(changes);
      undo.set(key, { ids: [...(undo.get(key)?.ids ?? []), id], changes });
    }
    answer.done.push(...changed.map(({ id }) => id));
    answer.failed.push(...failed);
    answer.unchanged.push(...unchanged);
  };
  const work = async () => {
    while (left.length > 0) await changeChunk(left.splice(0, chunkIds));
  };
  await Promise.all(Array.from({ length: chunksAtOnce }, work));

  const order = new Map(ids.map((id, index) => [id, index]));
  const inOrder = (one: number, other: number) => (order.get(one) ?? 0) - (order.get(other) ?? 0);
  if (input.action === "edit") answer.undo = [...undo.values()];
  answer.done.sort(inOrder);
  answer.failed.sort((one, other) => inOrder(one.id, other.id));
  return answer;
}
