import { share } from "@sonde/kit/cache";
import type { Client } from "@sonde/kit/bus/rpc";
import { toAppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { type Noise, noiseDays, type NoisyMonitor } from "@sonde/proto/http/notifications/noise";
import type { monitorsContract, ReplayedIncidents } from "@sonde/proto/rpc/monitors";
import { setImmediate as othersFirst } from "node:timers/promises";
import type { Context } from "../context.ts";
import { readContacts } from "../on-call/load.ts";
import { alertsOf, best, type Parent, weigh, weighDependency } from "./bill.ts";
import { countNights } from "./nights.ts";
import { type NoisyTarget, readNoisiest, readNotifiedQuarters, readParents } from "./store.ts";

type NoiseContext = Pick<Context, "db" | "clock"> & {
  monitors: Pick<Client<typeof monitorsContract>, "replayIncidents">;
  incidentDays: number;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const freshMs = 60_000;
/** The gateway waits longer. */
const budgetMs = 18_000;
const instant = (ms: number) => new Date(ms).toISOString();

/** All callers share an answer for a minute, so that a viewer who reloads costs others nothing. */
export const createNoise = (ctx: NoiseContext): (() => Promise<Noise>) =>
  share<void, Noise>(() => readNoise(ctx), { keyOf: () => "", freshMs, clock: ctx.clock });

async function readNoise(ctx: NoiseContext): Promise<Noise> {
  const { db, clock, incidentDays } = ctx;
  const toMs = Math.round(clock.now());
  const fromMs = toMs - Math.min(noiseDays, incidentDays) * dayMs;
  const untilMs = clock.elapsedMs() + budgetMs;
  const [noisiest, parents, quarters] = await orUnavailable(() =>
    Promise.all([
      readNoisiest(db, fromMs, toMs),
      readParents(db, fromMs, toMs),
      readNotifiedQuarters(db, fromMs, toMs),
    ]),
  );
  const contacts = await orUnavailable(() => readContacts(db, [...new Set(quarters.map(({ userId }) => userId))]));
  const monitors: NoisyMonitor[] = [];
  // One after another, so that this delays nothing in monitors.
  for (const target of noisiest) {
    const timeoutMs = untilMs - clock.elapsedMs();
    const asked = { monitorId: target.id, fromMs, toMs };
    const replayed =
      timeoutMs <= 0 ? "unavailable" : await ctx.monitors.replayIncidents(asked, { timeoutMs }).catch(codeOf);
    if (replayed === "unavailable") monitors.push({ ...countedSince(target, fromMs), secondOpinions: [] });
    else if (replayed !== "not_found") monitors.push(weighMonitor(target, replayed, parents, fromMs));
    await othersFirst();
  }
  return {
    from: instant(fromMs),
    to: instant(toMs),
    monitors,
    nights: countNights(quarters, (userId) => contacts.get(userId)?.timeZone ?? "UTC"),
    unavailable: monitors.every(({ alternatives }) => alternatives !== undefined) ? undefined : ["monitors"],
  };
}

function weighMonitor(
  target: NoisyTarget,
  { name, fromMs: replayedFromMs, now, others, dependsOn, managed, secondOpinions }: ReplayedIncidents,
  parents: readonly Parent[],
  periodFromMs: number,
): NoisyMonitor {
  // The clock of metrics, which keeps results for as long, is not this one.
  const fromMs = replayedFromMs - periodFromMs < hourMs ? periodFromMs : replayedFromMs;
  const past = target.incidents.filter(({ openedAtMs }) => openedAtMs >= fromMs);
  const counted = countedSince({ ...target, name, incidents: past }, fromMs);
  const alertsToday = Math.min(counted.alerts, alertsOf(now, past));
  const key = `monitor:${target.id}`;
  const known = new Set([key, ...dependsOn.map(({ type, id }) => `${type}:${id}`)]);
  const alternatives = [
    ...others.map(({ outages, ...change }) => weigh(change, now, outages, past)),
    ...parents
      .filter((parent) => !known.has(parent.key))
      .map((parent) => weighDependency({ key, intervalMs: target.intervalMs }, parent, past)),
  ];
  return {
    ...counted,
    ...(alertsToday < counted.alerts && { alertsToday }),
    alternatives: best(alternatives, alertsToday),
    secondOpinions,
    managed,
  };
}

function codeOf(error: unknown): "not_found" | "unavailable" {
  const { code } = toAppError(error);
  if (code === "not_found" || code === "unavailable") return code;
  throw error;
}

const countedSince = ({ id, name, incidents }: NoisyTarget, fromMs: number) => ({
  id,
  name,
  from: instant(fromMs),
  incidents: incidents.length,
  alerts: incidents.reduce((sum, { alerts }) => sum + alerts, 0),
});
