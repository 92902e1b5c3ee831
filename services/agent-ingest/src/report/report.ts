import { toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@sonde/kit/clock";
import { AppError, type FieldFault, unavailable } from "@sonde/kit/errors";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import type { Reporter } from "../keys/keys.ts";
import { type Checked, checkSamples } from "./check.ts";
import type { Pressure } from "./pressure.ts";
import type { Publisher } from "./publisher.ts";
import type { Rate } from "./rate.ts";
import type { ReadReport } from "./read.ts";
import type { SkewBook } from "./skew-book.ts";

export const maxBatchSamples = 500;

export type IntakeContext = {
  clock: Clock;
  rate: Rate<number>;
  /** Refused registrations, by address. */
  refusals: Rate<string>;
  pressure: Pressure;
  publisher: Publisher;
  skews: SkewBook;
  minIntervalSeconds: number;
  keptMs: number;
};

export type Taken = {
  accepted: number;
  rejected: FieldFault[];
  serverTimeMs: number;
  /** The server wants this interval, seconds. */
  interval?: number;
};

const futureMs = 60_000;
const fullRetrySeconds = 30;

/** Who speaks is who the key says; what the rate allows is taken before anything of the body is read. */
export function admit({ rate, pressure }: IntakeContext, { agentId }: Reporter): void {
  rate.take(agentId);
  if (pressure.isHigh()) {
    const { key, params } = unavailable("agent-ingest");
    throw new AppError("unavailable", key, { params, retryAfterSeconds: fullRetrySeconds });
  }
}

/**
 * Takes a report in; answers once its good samples are stored.
 * @throws AppError `invalid` when none is good, `too_large`, `unavailable`
 */
export async function takeReport(
  ctx: IntakeContext,
  { agentId, intervalSeconds: registered }: Reporter,
  report: ReadReport,
): Promise<Taken> {
  if (report.samples.length > maxBatchSamples) {
    throw new AppError("too_large", "A report has at most {max} samples", { params: { max: maxBatchSamples } });
  }
  const receivedAtMs = ctx.clock.now();
  const { good, faults } = checkSamples(report.samples);
  const skewMs = good.length === 0 ? 0 : ctx.skews.measure(agentId, heardOf(good, report, receivedAtMs));
  const timely = good.filter((checked) => {
    const fault = faultOfTime(checked.atMs - skewMs, receivedAtMs, ctx.keptMs);
    if (fault !== null) faults.push({ path: `samples.${checked.index}.at`, message: fault });
    return fault === null;
  });
  if (timely.length === 0) throw new AppError("invalid", "No sample of the report is valid", { details: faults });
  const { intervalSeconds } = report;
  await ctx.publisher.store(
    timely.map((checked) => ({
      agentId,
      receivedAtMs,
      skewMs,
      sample: skewMs === 0 ? checked.bytes : corrected(checked, skewMs),
      ...(intervalSeconds === undefined ? {} : { intervalSeconds }),
    })),
  );
  const tooOften = (intervalSeconds ?? registered) < ctx.minIntervalSeconds;
  return {
    accepted: timely.length,
    rejected: faults,
    serverTimeMs: ctx.clock.now(),
    ...(tooOften ? { interval: ctx.minIntervalSeconds } : {}),
  };
}

const corrected = ({ sample, atMs }: Checked, skewMs: number) =>
  toBinary(SampleSchema, { ...sample, at: timestampFromMs(atMs - skewMs) });

function heardOf(good: readonly Checked[], { sentAtMs }: ReadReport, receivedAtMs: number) {
  const newestAtMs = Math.max(...good.map(({ atMs }) => atMs));
  return { receivedAtMs, newestAtMs, sentAtMs };
}

function faultOfTime(atMs: number, receivedAtMs: number, keptMs: number) {
  if (atMs > receivedAtMs + futureMs) return "The sample is from the future" as const;
  return atMs < receivedAtMs - keptMs ? ("The sample is too old to be kept" as const) : null;
}
