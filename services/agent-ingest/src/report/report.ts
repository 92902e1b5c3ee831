import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchPressure } from "@sonde/kit/bus/pressure";
import { createCache } from "@sonde/kit/cache";
import { createRate } from "@sonde/kit/concurrency/rate";
import { slices } from "@sonde/kit/concurrency/slices";
import { AppError, type FieldFault, unavailable } from "@sonde/kit/errors";
import { registrationBodies, reportBodies } from "@sonde/kit/http/agent-bodies";
import { createBodyPool } from "@sonde/kit/http/body-pool";
import { gauge } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { streams } from "@sonde/proto/streams";
import type { Config } from "../config.ts";
import { publishFullness } from "../ingest-path.ts";
import type { Reporter } from "../keys/keys.ts";
import { type CheckedSample, checkSamples } from "./check.ts";
import { createHeavyWork, heavyBytes, unitsOf } from "./limits.ts";
import { createSamplePublisher, type OutgoingSample } from "./publisher.ts";
import { type ReadReport, readReport } from "./read.ts";
import { type ClockSkew, measureSkew } from "./skew.ts";

/** Per minute and address. Guessing 256 bits is hopeless, but each guess costs a database query. */
const refusedRegistrations = 30;
/** Clocks of further agents are measured again with each report. */
const maxSkews = 100_000;
const dayMs = 24 * 3_600_000;

const futureMs = 60_000;
const fullRetrySeconds = 30;

const unread = gauge(
  "sonde_samples_unread_ratio",
  "Share of the capacity of SAMPLES that its slowest reader has not read",
);

export type IntakeContext = ReturnType<typeof startReportIntake>;

export function startReportIntake(bus: Bus, clock: Clock, config: Config) {
  const pressure = watchPressure(bus, streams.samples, unread);
  const publisher = createSamplePublisher(bus);
  const fullness = publishFullness(bus);
  return {
    clock,
    pressure,
    publisher,
    fullness,
    rate: createRate<number>(clock, config.AGENT_REPORTS_PER_MINUTE, "At most {max} reports per minute"),
    refusals: createRate<string>(clock, refusedRegistrations, "Too many requests, please try again later"),
    heavy: createHeavyWork(),
    registrationBodies: createBodyPool(registrationBodies),
    reportBodies: createBodyPool(reportBodies),
    skews: createCache<number, ClockSkew>({ max: maxSkews }),
    minIntervalSeconds: config.AGENT_MIN_INTERVAL_SECONDS,
    retentionMs: (config.RETENTION_RAW_DAYS - 1) * dayMs,
    async stop() {
      pressure.stop();
      await fullness.stop();
      await publisher.stop();
    },
  };
}

type ReportReceipt = {
  accepted: number;
  rejected: FieldFault[];
  serverTimeMs: number;
  /** Not validated yet. */
  host: unknown;
  /** Interval that the agent must use, seconds. */
  interval: number | undefined;
};

/** Charges the agent's rate, before the body is read. @throws AppError `too_many`, `unavailable` */
export function admit({ rate, pressure }: IntakeContext, { agentId }: Reporter): void {
  rate.take(agentId);
  if (pressure.isHigh()) {
    const { key, params } = unavailable("agent-ingest");
    throw new AppError("unavailable", key, { params, retryAfterSeconds: fullRetrySeconds });
  }
}

/**
 * Resolves when the valid samples are stored.
 * @param body inflated
 * @param receivedAtMs when the whole body had arrived
 * @throws AppError `invalid` if no sample is valid, `too_large`, `too_many`, `unavailable`
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

async function prepare(
  { skews, retentionMs }: IntakeContext,
  agentId: number,
  { samples, sentAtMs, intervalSeconds }: ReadReport,
  receivedAtMs: number,
): Promise<{ outgoing: OutgoingSample[]; rejected: FieldFault[] }> {
  const { good, faults } = await checkSamples(samples);
  let skewMs = 0;
  if (good.length > 0) {
    const newestAtMs = Math.max(...good.map(({ atMs }) => atMs));
    const skew = measureSkew({ receivedAtMs, newestAtMs, sentAtMs }, skews.get(agentId));
    skews.set(agentId, skew);
    ({ skewMs } = skew);
  }
  const timely = good.filter((checked) => {
    const fault = timeError(checked.atMs - skewMs, receivedAtMs, retentionMs);
    if (fault !== null) faults.push({ path: `samples.${checked.index}.at`, message: fault });
    return fault === null;
  });
  if (timely.length === 0) throw new AppError("invalid", "The report contains no valid samples", { details: faults });
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

function timeError(atMs: number, receivedAtMs: number, retentionMs: number) {
  if (atMs > receivedAtMs + futureMs) return "The sample is from the future" as const;
  return atMs < receivedAtMs - retentionMs ? ("The sample is too old to store" as const) : null;
}
