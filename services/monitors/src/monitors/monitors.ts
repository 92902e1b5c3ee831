import type { MessageInitShape } from "@bufbuild/protobuf";
import { recordAll } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import { publishIncident } from "@sonde/domain/incidents/store";
import { readDependsOn } from "@sonde/domain/incidents/targets";
import { refuseOwned } from "@sonde/domain/managed/table";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvents, enqueueKeys } from "@sonde/kit/postgres/outbox";
import { changedSecrets } from "@sonde/domain/sealed-config";
import type { EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { AuditAction } from "@sonde/proto/http/audit";
import type { IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import { isPassive } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorInput, MonitorPatch } from "@sonde/proto/http/monitors/monitors";
import type { Context } from "../context.ts";
import { noteRemoved, noteWritten } from "../groups/changes.ts";
import { refuseMissingMembers } from "../groups/rules.ts";
import { factsOf, incidents } from "../incidents/facts.ts";
import { passOnBurns } from "../slos/incidents.ts";
import { passOnSilentLocations } from "../state/silent-locations.ts";
import { refuseTakenSlug, restartWaiting, writeAddresses } from "../heartbeats/targets.ts";
import { type Definition, nextState, type StoredMonitor } from "./monitor.ts";
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
  const before = await lockMonitor(trx, id);
  if ((before.status === "paused") === paused) return before;
  await refuseManaged(trx, before, { definition: before, paused });
  return writeMonitor(trx, before, before, paused, atMs);
}

/** `null` for a deletion. */
type AfterChange = { definition: Definition; paused: boolean } | null;

/** @throws AppError conflict if a configuration source manages a changed field */
async function refuseManaged(trx: Database, before: StoredMonitor, after: AfterChange): Promise<void> {
  await refuseOwned(trx, { kind: "monitor", id: before.id, name: before.name }, changedPaths(before, after));
}

export const changedPaths = (before: StoredMonitor, after: AfterChange) =>
  after && (() => changedFieldsOf(before, after.definition, after.paused).map(({ path }) => path));

/**
 * Deletes a monitor and closes an open incident as deleted. A tombstone remains for a day.
 * @throws AppError not_found; conflict if a configuration source manages the monitor
 */
export async function deleteMonitor(ctx: Context, { id }: MonitorRef): Promise<Record<string, never>> {
  await committing(ctx, async (trx) => {
    await refuseManaged(trx, await lockMonitor(trx, id), null);
    return (await writeRemovals(trx, [id], ctx.clock.now()))[0]!;
  });
  return {};
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
export type PlannedWrite = { id?: number; before: StoredMonitor | null; definition: Definition; paused: boolean };

/** Also writes spans, closed incidents, events, bucket keys and audit entries. */
export async function writeMonitors(
  trx: Database,
  changes: readonly PlannedWrite[],
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
  const written: (PlannedWrite & { monitor: StoredMonitor; newVersion: boolean })[] = [];
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
