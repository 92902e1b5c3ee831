import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Cache } from "@sonde/kit/cache";
import type { Clock } from "@sonde/kit/time/clock";
import { AppError, type FieldFault, unavailable } from "@sonde/kit/errors";
import { slices } from "@sonde/kit/concurrency/slices";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import type { Reporter } from "../keys/keys.ts";
import { type CheckedSample, checkSamples } from "./check.ts";
import type { OutgoingSample } from "./encode.ts";
import type { Fullness } from "./fullness.ts";
import { type HeavyWork, heavyBytes } from "./heavy.ts";
import { unitsOf } from "./limits.ts";
import type { Pressure } from "./pressure.ts";
import type { SamplePublisher } from "./publisher.ts";
import type { Bodies } from "./bodies.ts";
import type { Rate } from "./rate.ts";
import { type ReadReport, readReport } from "./read.ts";
import { type ReportClock, type KnownSkew, measureSkew } from "./skew.ts";

export type IntakeContext = {
  clock: Clock;
  rate: Rate<number>;
  heavy: HeavyWork;
  bodies: Bodies;
  fullness: Fullness;
  /** Refused registrations, by address. */
  refusals: Rate<string>;
  pressure: Pressure;
  publisher: SamplePublisher;
  /** What this process knows of agents' clocks, by agent. */
  skews: Cache<number, KnownSkew>;
  minIntervalSeconds: number;
  keptMs: number;
};

type ReportReceipt = {
  accepted: number;
  rejected: FieldFault[];
  serverTimeMs: number;
  /** The host's facts; not validated yet. */
  host: unknown;
  /** The server wants this interval, seconds. */
  interval: number | undefined;
};

const futureMs = 60_000;
const fullRetrySeconds = 30;

/** The key identifies the sender; its rate is charged before the body is read. */
export function admit({ rate, pressure }: IntakeContext, { agentId }: Reporter): void {
  rate.take(agentId);
  if (pressure.isHigh()) {
    const { key, params } = unavailable("agent-ingest");
    throw new AppError("unavailable", key, { params, retryAfterSeconds: fullRetrySeconds });
  }
}

/** A report's samples before any was stored. */
type Prepared = { outgoing: OutgoingSample[]; rejected: FieldFault[] };

/**
 * Takes a report in; answers once its good samples are stored.
 * @param body inflated
 * @param receivedAtMs when it had come whole
 * @throws AppError `invalid` when none is good, `too_large`, `too_many`, `unavailable`
 */
export async function takeReport(
  ctx: IntakeContext,
  { agentId, intervalSeconds: registered }: Reporter,
  { contentType, body, receivedAtMs }: { contentType: string | undefined; body: Buffer; receivedAtMs: number },
): Promise<ReportReceipt> {
  const prepareAll = async () => {
    const byBytes = unitsOf(body.length, 0);
    ctx.rate.charge(agentId, byBytes - 1);
    const report = await readReport(contentType, body);
    ctx.rate.charge(agentId, unitsOf(body.length, report.samples.length) - byBytes);
    return { report, ...(await prepare(ctx, agentId, report, receivedAtMs)) };
  };
  const isHeavy = body.length > heavyBytes;
  const { report, outgoing, rejected } = await (isHeavy ? ctx.heavy.run(agentId, prepareAll) : prepareAll());
  await ctx.publisher.store(outgoing);
  const tooOften = (report.intervalSeconds ?? registered) < ctx.minIntervalSeconds;
  return {
    accepted: outgoing.length,
    rejected,
    serverTimeMs: ctx.clock.now(),
    host: report.host,
    interval: tooOften ? ctx.minIntervalSeconds : undefined,
  };
}

/** How far the agent's clock is ahead of ours, milliseconds. */
function skewOf({ skews }: IntakeContext, agentId: number, heard: ReportClock): number {
  const skew = measureSkew(heard, skews.get(agentId));
  skews.set(agentId, skew);
  return skew.skewMs;
}

async function prepare(
  ctx: IntakeContext,
  agentId: number,
  report: ReadReport,
  receivedAtMs: number,
): Promise<Prepared> {
  const { good, faults } = await checkSamples(report.samples);
  const skewMs = good.length === 0 ? 0 : skewOf(ctx, agentId, clockOf(good, report, receivedAtMs));
  const timely = good.filter((checked) => {
    const fault = faultOfTime(checked.atMs - skewMs, receivedAtMs, ctx.keptMs);
    if (fault !== null) faults.push({ path: `samples.${checked.index}.at`, message: fault });
    return fault === null;
  });
  if (timely.length === 0) throw new AppError("invalid", "No sample of the report is valid", { details: faults });
  const { intervalSeconds } = report;
  const pause = slices();
  const outgoing: OutgoingSample[] = [];
  for (const checked of timely) {
    await pause();
    const sample = skewMs === 0 ? checked.bytes : corrected(checked, skewMs);
    outgoing.push({ agentId, receivedAtMs, skewMs, sample, intervalSeconds });
  }
  return { outgoing, rejected: faults };
}

const corrected = ({ bytes, atMs }: CheckedSample, skewMs: number) =>
  toBinary(SampleSchema, { ...fromBinary(SampleSchema, bytes), at: timestampFromMs(atMs - skewMs) });

function clockOf(good: readonly CheckedSample[], { sentAtMs }: ReadReport, receivedAtMs: number) {
  const newestAtMs = Math.max(...good.map(({ atMs }) => atMs));
  return { receivedAtMs, newestAtMs, sentAtMs };
}

function faultOfTime(atMs: number, receivedAtMs: number, keptMs: number) {
  if (atMs > receivedAtMs + futureMs) return "The sample is from the future" as const;
  return atMs < receivedAtMs - keptMs ? ("The sample is too old to be kept" as const) : null;
}
