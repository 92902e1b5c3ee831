import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Service } from "@sonde/kit/service/lifecycle";
import { isDatabaseUnavailable } from "@sonde/kit/postgres/database";
import { counter } from "@sonde/kit/telemetry/metrics";
import { startLoop } from "@sonde/kit/time/loop";
import { subjects } from "@sonde/proto/subjects";
import { fromBinary } from "@bufbuild/protobuf";
import { SessionSchema } from "@sonde/proto/gen/auth/v1/auth";
import type { Deps } from "../context.ts";
import { sessionBytes } from "./bucket.ts";
import { changeSessions } from "./change.ts";
import type { StoredSession } from "./store.ts";

/** Gateways tolerate two missed heartbeats in a row. */
const roundMs = 1_000;
const reconcileMs = 60_000;
const purgeMs = 600_000;
const repaired = counter("sonde_auth_sessions_repaired_total", "Sessions that were corrected in the NATS bucket");

type BucketSync = Service & {
  inStep(): boolean;
};

/** Raised by verbs when the bucket may differ from PostgreSQL. */
export function createDoubt() {
  let doubtful = true;
  return {
    raise: () => void (doubtful = true),
    take: () => {
      const was = doubtful;
      doubtful = false;
      return was;
    },
  };
}

/**
 * Keeps the bucket equal to PostgreSQL: compares at startup, after a reconnect, when the bucket was recreated, in
 * doubt, and each minute. A heartbeat confirms to gateways that the bucket is current. It continues while PostgreSQL is
 * unavailable, because no session can change then. Without it gateways call auth. Resolves after the first comparison.
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
  let background: Promise<void> | undefined;
  let isUnavailable = false;
  const offReconnect = bus.onReconnect(doubt.raise);

  const compare = async () => {
    const startedMs = clock.elapsedMs();
    const count = await reconcile(deps);
    repaired.inc(count);
    if (count > 0) log.info({ count }, "session bucket repaired from PostgreSQL");
    comparedMs = startedMs;
    isUnavailable = false;
  };

  const compareAgain = async () => {
    if (clock.elapsedMs() - comparedMs < reconcileMs) return;
    await compare().catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) doubt.raise();
      if (!isUnavailable) log.warn({ err: error }, "comparing the session bucket with PostgreSQL failed");
      isUnavailable = true;
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
      // Not awaited: an unresponsive PostgreSQL must not delay the heartbeat.
      background ??= compareAgain()
        .then(purgeAgain)
        .finally(() => (background = undefined));
    } catch (error) {
      if (wasInStep) log.warn({ err: error }, "session bucket differs from PostgreSQL");
      inStep = false;
    }
  };

  const rounds = startLoop({ work: "session bucket sync", log, everyMs: roundMs, run: round });
  rounds.nudge();
  await first.promise;

  return {
    inStep: () => inStep,
    stop: async () => {
      offReconnect();
      await rounds.stop();
      await background;
    },
  };
}

const unknownUser = 0;
const atOnce = 4;

/** Safe with concurrent changes: each difference is checked again with its user's row locked. */
async function reconcile(deps: Deps): Promise<number> {
  const { store, bucket, clock } = deps;
  const entries = await bucket.read();
  const expected = await store.sessions.all(clock.now());
  const known = new Set(expected.map(({ tokenHash }) => tokenHash));
  const matches = (session: StoredSession) =>
    Buffer.compare(entries.get(session.tokenHash) ?? Buffer.alloc(0), sessionBytes(session)) === 0;
  const differences = [
    ...expected.flatMap((session) => (matches(session) ? [] : [{ userId: session.user.id, ...session }])),
    ...[...entries].flatMap(([tokenHash, bytes]) =>
      known.has(tokenHash) ? [] : [{ userId: userOf(bytes), tokenHash }],
    ),
  ];
  const limiter = createLimiter<number>({ total: atOnce, waiting: Infinity });
  const byUser = [...Map.groupBy(differences, ({ userId }) => userId)];
  await Promise.all(
    byUser.map(([userId, own]) => {
      const tokenHashes = own.map(({ tokenHash }) => tokenHash);
      return limiter.run(userId, () => repairUser(deps, userId, tokenHashes));
    }),
  );
  return differences.length;
}

/** Does not read the bucket again: both operations are idempotent. */
async function repairUser(deps: Deps, userId: number, tokenHashes: string[]): Promise<void> {
  await changeSessions(deps, async ({ users, sessions, put, end }) => {
    if (userId !== unknownUser) await users.lock(userId);
    const living = await sessions.ofUser(userId, deps.clock.now());
    await Promise.all(living.filter(({ tokenHash }) => tokenHashes.includes(tokenHash)).map(put));
    const known = new Set(living.map(({ tokenHash }) => tokenHash));
    await end(tokenHashes.filter((tokenHash) => !known.has(tokenHash)));
  });
}

function userOf(bytes: Uint8Array): number {
  try {
    return fromBinary(SessionSchema, bytes).userId;
  } catch {
    return unknownUser;
  }
}

const markMs = 24 * 3_600_000;

export async function purge(deps: Deps): Promise<void> {
  const nowMs = deps.clock.now();
  for (const userId of await deps.store.sessions.usersWithExpired(nowMs)) {
    await changeSessions(deps, async ({ users, sessions, end }) => {
      await users.lock(userId);
      await end(await sessions.deleteExpired(userId, nowMs));
    });
  }
  await deps.store.attempts.forgetOld(nowMs);
  await deps.store.tickets.forgetOld(nowMs);
  await deps.store.invites.forgetOld(nowMs);
  await deps.store.signIn.forgetOld(nowMs);
  await deps.bucket.sweep(nowMs - markMs);
}
