import { figuresOf, type ReceivedSample } from "./samples.ts";
import { judge, type ThresholdVerdict, type UsageLimits } from "./thresholds.ts";
import type { AgentReading, TrackedAgent } from "./tracked.ts";

type Ignored = { ignored: "late" | "early" | "seen" };
export type AppliedSample = Pick<ThresholdVerdict, "opened" | "closed" | "flapped" | "flappingChanges"> & {
  ignored?: never;
  reading: AgentReading;
  /** It was connecting or offline. */
  comesOnline: boolean;
};

const freshIntervals = 2;
const minFreshMs = 60_000;
const aheadMs = 60_000;
const silentIntervals = 3;
const minSilentMs = 30_000;

/** How old a sample may be when it comes and still speak of the present. */
export const freshMs = (intervalMs: number) => Math.max(freshIntervals * intervalMs, minFreshMs);

/** How long an agent may be silent before it is offline. */
export const silenceMs = (intervalMs: number) => Math.max(silentIntervals * intervalMs, minSilentMs);

/**
 * Applies one sample to the present state of its agent. Pure: the same samples in the same order give the same
 * decisions on any replica at any time, since a sample's age is taken from when the server received it.
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

/** The agent's sampling interval, by its report, else by its registration. */
export const intervalOf = (
  { intervalSeconds }: Pick<ReceivedSample, "intervalSeconds">,
  { intervalMs }: Pick<TrackedAgent, "intervalMs">,
) => (intervalSeconds === undefined ? intervalMs : Math.round(intervalSeconds * 1000));

type Identity = Pick<AgentReading, "atMs" | "bootId" | "sequence">;

/** Within a boot the sequence counts, even if the clock steps back; a sequence that restarted has a later time. */
function isNewer(one: Identity, known: Identity): boolean {
  const sameBoot = one.bootId !== "" && one.bootId === known.bootId;
  return one.atMs > known.atMs || (sameBoot && one.sequence > known.sequence);
}
