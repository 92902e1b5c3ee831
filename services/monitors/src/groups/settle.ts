import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import { isCalm } from "@sonde/domain/incidents/flapping";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { TimerClock } from "@sonde/kit/time/clock";
import { fill } from "@sonde/proto/http/fill";
import type { Need } from "@sonde/proto/http/monitors/groups";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import { lockMonitor } from "../monitors/store.ts";
import { type TrackedRow, trackedOf } from "../state/store.ts";
import { applyTransition, commitTransition } from "../state/transition.ts";
import { type DecidedSpan, neededOf, type SpanState, spansOf } from "./decide.ts";
import * as store from "./store.ts";

const changesAtOnce = 1_000;
/** Edges of maintenance windows before a start are looked at again. */
const missedMs = 600_000;
const namedMembers = 5;
const downCause = "{up} of {counted} members are up, {needed} needed; down: {names}";
/** Positions of results do not decide groups: the lock of their row does. */
const stream = "groups";

type GroupContext = {
  db: Database;
  clock: TimerClock;
  maintenance: Pick<MaintenanceWatch, "spansOf" | "covered" | "coveredWithin">;
  nudge(): void;
};

/**
 * Returns a pass that decides the groups whose members have changed. Passes are safe to repeat, and two replicas may
 * run one at the same time: both decide the same, under the lock of the group.
 */
export function createGroupPass(ctx: GroupContext): () => Promise<void> {
  const { db, clock, maintenance } = ctx;
  let passedMs = clock.now() - missedMs;
  let covered: ReadonlySet<number> = new Set();
  return async () => {
    const nowMs = clock.now();
    const now = maintenance.covered("monitor", nowMs);
    const touched = [...covered, ...maintenance.coveredWithin("monitor", passedMs, nowMs)];
    const moved = new Set([...now, ...touched]).difference(covered.intersection(now));
    if (moved.size > 0) await store.noteMaintenance(db, [...moved], passedMs);
    [covered, passedMs] = [now, nowMs];
    for (const id of await store.flappingGroups(db)) await settleGroup(ctx, id, nowMs);
    for (;;) {
      const changes = await store.undecidedChanges(db, changesAtOnce);
      if (changes.length === 0) return;
      // One group that fails must not delay the others; its changes are retried.
      const failures: unknown[] = [];
      for (const { id, fromMs } of await store.affectedGroups(db, changes))
        await settleGroup(ctx, id, fromMs).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
      await store.markDecided(db, changes);
    }
  };
}

/** Decides a group from `fromMs` on. */
async function settleGroup(ctx: GroupContext, id: number, fromMs: number): Promise<void> {
  const isDecided = await ctx.db.transaction((trx) => settle({ ...ctx, db: trx }, id, fromMs)).catch(skipDeleted);
  if (isDecided) ctx.nudge();
}

function skipDeleted(error: unknown): boolean {
  if (error instanceof AppError && error.code === "not_found") return false;
  throw error;
}

const statusOf = (state: SpanState): MonitorStatus => (state === "partial" ? "up" : state);

/** Returns true if anything was published. */
async function settle({ db: trx, clock, maintenance }: GroupContext, id: number, givenMs: number): Promise<boolean> {
  const nowMs = Math.round(clock.now());
  const row = (await lockMonitor(trx, id)) as unknown as TrackedRow & { name: string; config: { need: Need } };
  const { activeSinceMs, config } = row;
  if (activeSinceMs === null) {
    await replaceFrom(trx, id, row.statusSinceMs, [{ fromMs: row.statusSinceMs, state: "paused", cause: null }]);
    return false;
  }
  const fromMs = Math.max(activeSinceMs, Math.round(givenMs));
  const members = await store.readMembers(trx, id, fromMs);
  const facts = members.map((member) => ({ ...member, maintenance: maintenance.spansOf("monitor", member.id) }));
  const untilMs = Math.max(nowMs, fromMs, ...members.flatMap(({ changes }) => changes.at(-1)?.atMs ?? 0));
  const names = new Map(members.map(({ id, name }) => [id, name]));
  const spans = spansOf(config.need, facts, fromMs, untilMs).map((span) => ({
    ...span,
    cause: span.state === "down" ? causeOf(config.need, span, names) : null,
  }));
  const former = await store.lastState(trx, id);
  await replaceFrom(trx, id, fromMs, spans);
  const tracked = trackedOf(row, new Map());
  let isPublished = false;
  for (const [at, { fromMs: spanMs, state, cause }] of spans.entries()) {
    const isLast = at === spans.length - 1;
    // Past decisions stay, even if a member's change arrives late.
    if (spanMs < tracked.statusSinceMs && !isLast) continue;
    const to = statusOf(state);
    const atMs = Math.max(spanMs, tracked.statusSinceMs);
    const calms = isLast && to === tracked.status && isCalm(tracked.flapping, tracked.intervalMs, nowMs);
    if (to === tracked.status && !calms) continue;
    const transition = {
      monitor: tracked,
      to,
      sinceMs: atMs,
      calms,
      locationState: {
        version: tracked.version,
        slotMs: atMs,
        checkedAtMs: calms ? nowMs : atMs,
        failing: to === "down",
        failures: 0,
        status: to === "down" ? ("down" as const) : ("up" as const),
        responseTimeMs: 0,
        ...(cause !== null && { error: cause }),
      },
      slotMs: atMs,
      stream,
      mark: tracked.stateStream === stream ? tracked.stateMark + 1 : 1,
      nowMs,
    };
    const flapping = await commitTransition(trx, transition);
    if (flapping === null) throw new Error(`group ${id} changed while it was locked`);
    applyTransition(transition, flapping);
    isPublished = true;
  }
  const state = spans.at(-1)!.state;
  if (former === state || isPublished) return isPublished;
  await publishState(trx, row, tracked.status, nowMs);
  return true;
}

/** Equal states in a row are one span. */
async function replaceFrom(
  trx: Database,
  id: number,
  fromMs: number,
  spans: readonly { fromMs: number; state: SpanState; cause: string | null }[],
): Promise<void> {
  const before = await store.lastState(trx, id, fromMs);
  const added = before === spans[0]?.state ? spans.slice(1) : spans;
  await store.replaceSpans(
    trx,
    id,
    fromMs,
    added.map(({ fromMs, state, cause }) => ({ fromMs, state, cause })),
  );
}

function causeOf(need: Need, { up, down }: DecidedSpan, names: ReadonlyMap<number, string>): string {
  const counted = up + down.length;
  const shown = down.slice(0, namedMembers).map((id) => names.get(id) ?? "");
  const list = [...shown, ...(down.length > namedMembers ? ["…"] : [])].join(", ");
  return fill(downCause, { up, counted, needed: neededOf(need, counted), names: list });
}

/** Between `up` and `partial` the status stays; lists and pages read the group again. */
async function publishState(
  trx: Database,
  { id, name, version, statusSinceMs }: TrackedRow & { name: string },
  status: MonitorStatus,
  nowMs: number,
): Promise<void> {
  const value = { monitorId: id, name, change: "state", status, previousStatus: status, statusSinceMs };
  await enqueueEvent(trx, {
    id: `m${id}:${version}:${crypto.randomUUID()}:state`,
    atMs: nowMs,
    fact: { case: "monitor", value },
  });
}
