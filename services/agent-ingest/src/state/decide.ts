import { figuresOf, type ReceivedSample } from "./samples.ts";
import { judge, type ThresholdVerdict, type UsageLimits } from "./thresholds.ts";
import type { AgentReading, TrackedAgent } from "./tracked.ts";

type Ignored = { ignored: "late" | "early" | "seen" };
export type AppliedSample = Pick<ThresholdVerdict, "opened" | "closed" | "flapped" | "flappingChanges"> & {
  ignored?: never;
  reading: AgentReading;
  comesOnline: boolean;
};

const freshIntervals = 2;
const minFreshMs = 60_000;
const aheadMs = 60_000;
const silentIntervals = 3;
const minSilentMs = 30_000;

/** Maximum age of a sample, on arrival, to describe the present. */
export const freshMs = (intervalMs: number) => Math.max(freshIntervals * intervalMs, minFreshMs);

/** Silence after which an agent is offline. */
export const silenceMs = (intervalMs: number) => Math.max(silentIntervals * intervalMs, minSilentMs);

/**
 * Applies one sample to its agent's present state. Pure: the same samples in the same order give the same decisions
 * on any replica at any time, because a sample's age is measured when the server receives it.
 */
export function decide(agent: TrackedAgent, given: ReceivedSample, limits: UsageLimits): Ignored | AppliedSample {
  const { sample, bytes, receivedAtMs, skewMs } = given;
  const { atMs } = sample;
  if (atMs === undefined) return { ignored: "early" };
  const intervalMs = intervalOf(given, agent);
  if (receivedAtMs - atMs > freshMs(intervalMs)) return { ignored: "late" };
  if (atMs - receivedAtMs > aheadMs) return { ignored: "early" };
  const identity = { atMs, bootId: sample.bootId ?? "", sequence: sample.sequence ?? -1 };
  if (agent.reading !== null && !isNewer(identity, agent.reading)) return { ignored: "seen" };
  const before = agent.reading?.runs ?? {};
  const { runs, ...verdict } = judge(sample, limits, before, agent.open, { atMs, intervalMs });
  const state = { uptimeSeconds: sample.uptime ?? null, figures: figuresOf(sample), sample: bytes };
  const reading = { ...identity, lastSeenMs: receivedAtMs, skewMs, runs, ...state };
  return { reading, comesOnline: agent.status !== "online", ...verdict };
}

/** From the report, otherwise from the registration. */
export const intervalOf = (
  { intervalSeconds }: Pick<ReceivedSample, "intervalSeconds">,
  { intervalMs }: Pick<TrackedAgent, "intervalMs">,
) => (intervalSeconds === undefined ? intervalMs : Math.round(intervalSeconds * 1000));

type Identity = Pick<AgentReading, "atMs" | "bootId" | "sequence">;

/** Within a boot the sequence counts, even if the clock steps back. A sequence that restarted has a later time. */
function isNewer(one: Identity, known: Identity): boolean {
  const sameBoot = one.bootId !== "" && one.bootId === known.bootId;
  return one.atMs > known.atMs || (sameBoot && one.sequence > known.sequence);
}
