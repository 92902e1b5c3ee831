import { share } from "@sonde/kit/cache";
import { orNull } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import type { LiveMonitors } from "../state/live.ts";
import { definedFacts, failingFacts, locationFacts } from "./facts.ts";
import {
  type FailingTarget,
  findSharedCauses,
  formingGroup,
  type FoundCause,
  type HealthyTarget,
  sharedFacts,
} from "./shared-cause.ts";
import * as store from "./store.ts";

export type CauseContext = {
  db: Database;
  clock: TimerClock;
  live: Pick<LiveMonitors, "get">;
  /** Names of agents by id, as far as they are known. */
  namesOf(agentIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
};

/** Incidents that began earlier keep their cause, even if the group is still growing. */
const lookBackMs = 600_000;
/** A pass reads all monitors. */
const minPauseMs = 4_000;

/**
 * Returns a pass that stores what the newest incidents share, until the newest is two minutes old. After that nothing
 * changes it. Every replica may run it: each computes the same, under one lock.
 */
export function createCausePass(ctx: CauseContext): () => Promise<void> {
  const { db, clock } = ctx;
  const run = async () => {
    const nowMs = clock.now();
    const read = async (trx: Database) => formingGroup(await store.recentIncidents(trx, nowMs - lookBackMs), nowMs);
    if ((await read(db)).length < 2) return;
    await db.transaction(async (trx) => {
      await store.lockCauses(trx);
      const group = await read(trx);
      await store.replaceCauses(
        trx,
        group.map(({ id }) => id),
        await find({ ...ctx, db: trx }, group),
      );
    });
  };
  return share<void, void>(run, { keyOf: () => "", freshMs: minPauseMs, clock });
}

async function find(ctx: CauseContext, group: readonly store.RecentIncident[]): Promise<FoundCause[]> {
  // The list takes 4 MiB, so it is loaded on first use.
  const { getDomain } = await import("tldts");
  const byTarget = Map.groupBy(group, ({ targetId }) => targetId);
  const failing = (await store.failingTargets(ctx.db, [...byTarget.keys()])).map((row): FailingTarget => {
    const own = byTarget.get(row.id)!;
    const locations = row.failingAt.length > 0 ? row.failingAt : row.locations;
    // Nothing about the target itself explains why it fails from some locations only.
    const facts = own.every(({ kind }) => kind === "partial")
      ? locationFacts(locations)
      : [...failingFacts(row.seen, locations), ...definedFacts({ ...row, locations }, getDomain)];
    return { incidentIds: own.map(({ id }) => id), facts };
  });
  const shared = sharedFacts(failing);
  if (shared.length === 0) return [];
  const sinceMs = Math.min(...group.map(({ openedAtMs }) => openedAtMs));
  const healthy: HealthyTarget[] = [];
  const unchecked: Pick<HealthyTarget, "facts">[] = [];
  for (const row of await store.upTargets(ctx.db, shared)) {
    if (byTarget.has(row.id)) continue;
    const facts = [...row.held, ...definedFacts(row, getDomain)];
    const figures = ctx.live.get(row.id);
    const isChecked = (figures?.lastCheckedAtMs ?? 0) >= sinceMs;
    if (isChecked && figures?.lastError === undefined && figures?.partial.length === 0)
      healthy.push({ facts, isSeen: row.isSeen });
    else unchecked.push({ facts });
  }
  return named(ctx, findSharedCauses(failing, healthy, unchecked));
}

async function named({ namesOf }: CauseContext, causes: FoundCause[]): Promise<FoundCause[]> {
  const ids = causes.flatMap(({ fact, value }) => (fact === "agent" ? [Number(value)] : []));
  const names = ids.length === 0 ? null : await orNull(namesOf(ids));
  return causes.map((cause) =>
    cause.fact === "agent" ? { ...cause, value: names?.get(Number(cause.value)) ?? `#${cause.value}` } : cause,
  );
}

/** @param incidentIds public ids; those of other services are ignored */
export async function listSharedCauses(
  { db, findCauses }: { db: Database; findCauses(): Promise<void> },
  { incidentIds }: { incidentIds?: readonly string[] | undefined },
): Promise<{ causes: SharedCause[] }> {
  const ids = incidentIds?.flatMap((id) => (/^m\d{1,9}$/.test(id) ? [Number(id.slice(1))] : []));
  // The caller's incidents may be new. A failed pass hides no stored cause.
  if (ids !== undefined) await findCauses().catch(() => {});
  return { causes: await store.readCauses(db, ids) };
}
