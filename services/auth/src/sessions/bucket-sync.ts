import type { Bus } from "@sonde/kit/bus/connect";
import type { Service } from "@sonde/kit/service/lifecycle";
import { isDatabaseAway } from "@sonde/kit/postgres/database";
import { counter } from "@sonde/kit/telemetry/metrics";
import { startLoop } from "@sonde/kit/time/loop";
import { subjects } from "@sonde/proto/subjects";
import type { Deps } from "../context.ts";
import { purge } from "./purge.ts";
import { reconcile } from "./reconcile.ts";

/** Gateways wait for three of them, so that two late rounds are no silence. */
const roundMs = 1_000;
const reconcileMs = 60_000;
const purgeMs = 600_000;
const repaired = counter("sonde_auth_sessions_repaired_total", "Sessions that the bucket had wrong");

export type BucketSync = Service & {
  /** Whether the bucket equals PostgreSQL, as far as known. */
  inStep(): boolean;
};

/** What may have come apart since the last round; verbs raise it, the sync looks. */
export function createDoubt() {
  let doubtful = true;
  return {
    raise: () => void (doubtful = true),
    /** Whether it was raised; lowers it. */
    take: () => {
      const was = doubtful;
      doubtful = false;
      return was;
    },
  };
}

/**
 * Keeps the bucket equal to PostgreSQL: compares them at the start, after each reconnect, when the bucket was created
 * again, in doubt, and each minute; and notifies gateways by a heartbeat that the bucket is current. While PostgreSQL
 * is unavailable no session can change, so the heartbeat continues unless something was in doubt; without the bus or in
 * doubt there is none, and gateways call auth instead. Resolves after the first comparison.
 */
export async function startBucketSync(
  bus: Bus,
  deps: Deps,
  doubt: ReturnType<typeof createDoubt>,
): Promise<BucketSync> {
  const { bucket, clock, log } = deps;
  let inStep = false;
  let epoch = "";
  let comparedMs = Number.NEGATIVE_INFINITY;
  let purgedMs = clock.elapsedMs();
  let meanwhile: Promise<void> | undefined;
  let away = false;
  const offReconnect = bus.onReconnect(doubt.raise);

  const compare = async () => {
    const startedMs = clock.elapsedMs();
    const count = await reconcile(deps);
    repaired.inc(count);
    if (count > 0) log.info({ count }, "session bucket repaired from PostgreSQL");
    comparedMs = startedMs;
    away = false;
  };

  const compareAgain = async () => {
    if (clock.elapsedMs() - comparedMs < reconcileMs) return;
    await compare().catch((error: unknown) => {
      if (!isDatabaseAway(error)) doubt.raise();
      if (!away) log.warn({ err: error }, "comparing sessions with PostgreSQL failed");
      away = true;
    });
  };
  const purgeAgain = async () => {
    if (clock.elapsedMs() - purgedMs < purgeMs) return;
    purgedMs = clock.elapsedMs();
    await purge(deps).catch((error: unknown) => log.warn({ err: error }, "deleting expired sessions failed"));
  };

  const first = Promise.withResolvers<void>();
  const round = async () => {
    const wasInStep = inStep;
    try {
      if (!bus.connected()) return void (inStep = false);
      const present = await bucket.epoch();
      if (doubt.take() || present !== epoch) inStep = false;
      if (!inStep) await compare();
      epoch = present;
      inStep = true;
      first.resolve();
      bus.nc.publish(subjects.authHeartbeat);
      // Beside the heartbeat: a PostgreSQL that does not answer must not hold it up.
      meanwhile ??= compareAgain()
        .then(purgeAgain)
        .finally(() => (meanwhile = undefined));
    } catch (error) {
      if (wasInStep) log.warn({ err: error }, "session bucket differs from PostgreSQL");
      inStep = false;
    }
  };

  const rounds = startLoop({ work: "rounds of the session bucket", log, everyMs: roundMs, run: round });
  rounds.nudge();
  await first.promise;

  return {
    inStep: () => inStep,
    stop: async () => {
      offReconnect();
      await rounds.stop();
      await meanwhile;
    },
  };
}
