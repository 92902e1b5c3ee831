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

/** Gateways wait for three of them, so that two late rounds are no silence. */
const roundMs = 1_000;
const reconcileMs = 60_000;
const purgeMs = 600_000;
const repaired = counter("sonde_auth_sessions_repaired_total", "Sessions that were corrected in the NATS bucket");

type BucketSync = Service & {
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
      if (!isDatabaseUnavailable(error)) doubt.raise();
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

const nobody = 0;
const atOnce = 4;

/**
 * Makes the bucket equal to PostgreSQL, both ways: puts what is missing or differs, ends what PostgreSQL does not have.
 * Concurrent changes are safe: each suspect is checked again while its user's row is locked.
 * @returns the number of corrections
 */
async function reconcile(deps: Deps): Promise<number> {
  const { store, bucket, clock } = deps;
  const held = await bucket.read();
  const wanted = await store.sessions.all(clock.now());
  const known = new Set(wanted.map(({ tokenHash }) => tokenHash));
  const isRight = (session: StoredSession) =>
    Buffer.compare(held.get(session.tokenHash) ?? Buffer.alloc(0), sessionBytes(session)) === 0;
  const suspects = [
    ...wanted.flatMap((session) => (isRight(session) ? [] : [{ userId: session.user.id, ...session }])),
    ...[...held].flatMap(([tokenHash, bytes]) => (known.has(tokenHash) ? [] : [{ userId: userOf(bytes), tokenHash }])),
  ];
  const limiter = createLimiter<number>({ total: atOnce, waiting: Infinity });
  const byUser = [...Map.groupBy(suspects, ({ userId }) => userId)];
  await Promise.all(
    byUser.map(([userId, own]) => {
      const tokenHashes = own.map(({ tokenHash }) => tokenHash);
      return limiter.run(userId, () => putRight(deps, userId, tokenHashes));
    }),
  );
  return suspects.length;
}

/** What PostgreSQL has is put, the rest is ended; without another look at the bucket, for both can be done twice. */
async function putRight(deps: Deps, userId: number, tokenHashes: string[]): Promise<void> {
  await changeSessions(deps, async ({ users, sessions, put, end }) => {
    if (userId !== nobody) await users.lock(userId);
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
    return nobody;
  }
}

const markMs = 24 * 3_600_000;

/** Takes out what is over: expired sessions and tickets, attempts that no limit counts, marks of sessions that ended long ago. */
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
  await deps.store.signIn.forgetOld(nowMs);
  await deps.bucket.sweep(nowMs - markMs);
}
