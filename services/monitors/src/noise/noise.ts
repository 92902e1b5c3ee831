import { create } from "@bufbuild/protobuf";
import { ownersOf } from "@sonde/domain/managed/table";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import type { Verbs } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import { CheckResultSchema, type CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { isPassive } from "@sonde/proto/http/monitors/kinds";
import type { ChecksAroundFailures } from "@sonde/proto/rpc/metrics";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { setImmediate as othersFirst } from "node:timers/promises";
import type { Context } from "../context.ts";
import { findMonitor } from "../monitors/store.ts";
import { readSpans } from "../monitors/timeline-store.ts";
import { findConfirm, withoutOwnLocations } from "../opinions/confirm.ts";
import { endOf, type ReplayedOutage, type PastResults, replay, type ReplaySettings } from "./replay.ts";

type Verb = Verbs<typeof monitorsContract, Context>["replayIncidents"];

const tried = { retries: [1, 2, 3, 5, 10], recoverAfter: [2, 3, 5] } as const;
const minuteMs = 60_000;
/** An outage that began before the period is not counted as new. */
const leadMs = 60 * minuteMs;
const maxOutages = 500;
/** Longer turns would delay results. */
const turnMs = 10;

const inTurn = createQueue();

/** Decides the stored results of a monitor again, with its settings and with others that make it alert less often. */
export const replayIncidents: Verb = async (ctx, { monitorId, fromMs, toMs }, { signal }) => {
  const { db, checksAroundFailures, locations } = ctx;
  const monitor = await findMonitor(db, monitorId);
  const [forAll, owners, incidents, allSpans] = await Promise.all([
    findConfirm(db),
    ownersOf(db, "monitor", [monitorId]),
    readIncidents(db, monitorId, fromMs - leadMs, toMs),
    readSpans(db, [monitorId]),
  ]);
  const { name, dependsOn, intervalMs } = monitor;
  const facts = { name, dependsOn, managed: owners.get(monitorId) };
  if (isPassive(monitor.config.type))
    return { ...facts, fromMs, now: incidents.slice(-maxOutages), others: [], secondOpinions: [] };
  const spans = allSpans.get(monitorId) ?? [];
  const longestMs = Math.max(intervalMs, ...spans.map((span) => span.intervalMs));
  const stored = await checksAroundFailures({
    monitorId,
    fromMs: fromMs - leadMs,
    beforeMs: 4 * longestMs,
    afterMs: 10 * minuteMs + 14 * longestMs,
  });
  const past: PastResults = { results: unpack(monitorId, stored, toMs), spans, incidents };
  const settings: ReplaySettings = { ...monitor, confirm: monitor.confirm ?? forAll };
  const run = async (changed: Partial<ReplaySettings>) => {
    const outages = await inTurn(() => finish(replay({ ...settings, ...changed }, past), signal));
    return outages.filter(({ openedAtMs }) => openedAtMs >= fromMs).slice(-maxOutages);
  };
  const now = await run({});
  const others = [];
  for (const field of ["retries", "recoverAfter"] as const)
    for (const value of tried[field]) {
      if (value > monitor[field]) others.push({ field, value, outages: await run({ [field]: value }) });
    }
  const isConfirmed = withoutOwnLocations(settings.confirm, monitor.locations) !== null;
  return {
    ...facts,
    fromMs: now.length < maxOutages ? Math.max(fromMs, stored.fromMs) : now[0]!.openedAtMs,
    now,
    others,
    secondOpinions: isConfirmed ? [] : locations.liveLocations().filter((one) => !monitor.locations.includes(one)),
  };
};

/** Runs a replay in short turns. @throws if the caller has timed out */
async function finish(
  replaying: Generator<undefined, ReplayedOutage[]>,
  signal: AbortSignal,
): Promise<ReplayedOutage[]> {
  for (;;) {
    const untilMs = performance.now() + turnMs;
    do {
      const step = replaying.next();
      if (step.done === true) return step.value;
    } while (performance.now() < untilMs);
    signal.throwIfAborted();
    await othersFirst();
  }
}

export function unpack(monitorId: number, { locations }: ChecksAroundFailures, toMs: number): CheckResult[] {
  const results = locations.flatMap(({ location, checks }) =>
    checks.map(([slotMs = 0, afterMs = 0, responseTimeMs = 0, up, failures = 0, version = 0, manual]) =>
      create(CheckResultSchema, {
        monitorId,
        location,
        slotMs,
        responseTimeMs,
        failures,
        version,
        startedAtMs: slotMs + afterMs,
        status: up === 1 ? "up" : "down",
        manual: manual === 1,
      }),
    ),
  );
  return results.filter(({ slotMs }) => slotMs < toMs).sort((one, other) => endOf(one) - endOf(other));
}

export const readIncidents = (
  db: Database,
  targetId: number,
  fromMs: number,
  toMs: number,
): Promise<PastResults["incidents"]> =>
  db("incidents")
    .where({ targetId, kind: "down" })
    .where("openedAtMs", "<", Math.round(toMs))
    .whereRaw("coalesce(closed_at_ms, ?) >= ?", [Math.round(toMs), Math.round(fromMs)])
    .orderBy("openedAtMs")
    .select("openedAtMs", "closedAtMs", db.raw("coalesce(resolution <> 'recovered', false) as is_reset"));
