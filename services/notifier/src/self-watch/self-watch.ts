import type { Bus } from "@sonde/kit/bus/connect";
import { client, type Client } from "@sonde/kit/bus/rpc";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import { startLoop } from "@sonde/kit/time/loop";
import { healthContract } from "@sonde/proto/rpc/health";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { counter, scrapedGauge } from "@sonde/kit/telemetry/metrics";
import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import type { Clock } from "@sonde/kit/time/clock";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { type OutgoingRequests, EgressError } from "@sonde/kit/egress/requests";

type SelfWatchDeps = SelfWatchSources & {
  egress: Pick<OutgoingRequests, "request">;
  log: Log;
  url: string;
  signal: AbortSignal;
};

const checkMs = 2_000;
/** Services that start at the same time are not ready yet, which is not worth logging. */
const firstCheckMs = 20_000;
/** Three sequential requests and the call must take less than the lease. */
const queryTimeoutMs = 5_000;

/**
 * Calls an external address once a minute while all of Sonde is healthy, so a missing call raises an alarm there
 * (a dead man's switch). One replica calls; a row in PostgreSQL has its lease.
 */
export function startSelfWatch(bus: Bus, deps: Omit<SelfWatchDeps, "health" | "monitors" | "signal">): Service {
  const stopping = new AbortController();
  const watched: SelfWatchDeps = {
    ...deps,
    signal: stopping.signal,
    health: (service) => client(bus, healthContract, { scope: service, timeoutMs: queryTimeoutMs }),
    monitors: client(bus, monitorsContract, { timeoutMs: queryTimeoutMs }),
  };
  const runCheck = createSelfWatch(watched);
  const startedMs = deps.clock.elapsedMs();
  const checking = startLoop({
    work: "self-watch",
    log: deps.log,
    everyMs: checkMs,
    run: () => (deps.clock.elapsedMs() - startedMs < firstCheckMs ? undefined : runCheck()),
  });
  const unregister = suppressionReasons(async () =>
    (await readReasons(deps.db)).map((reason) => ({ labels: { reason }, value: 1 })),
  );
  return {
    stop: async () => {
      unregister();
      stopping.abort();
      await checking.stop();
    },
  };
}

/** Result of a check: another process's turn or too early, problems prevented the call, called, or the call failed. */
type SelfWatchOutcome = "not due" | "held_back" | "called" | "failed";

export function createSelfWatch(deps: SelfWatchDeps): () => Promise<SelfWatchOutcome> {
  const { db, log, signal } = deps;
  let isFailing = false;

  const call = async (): Promise<boolean> => {
    const fault = await callOnce(deps);
    if (fault !== null && signal.aborted) return false; // Another replica calls in ten seconds.
    if (fault !== null && !isFailing) log.warn({ fault }, "self-watch call failed; retrying");
    if (fault === null && isFailing) log.info("self-watch call works again");
    isFailing = fault !== null;
    return fault === null;
  };

  return async () => {
    const turn = await takeTurn(db);
    if (turn === null) return "not due";
    const reasons = await findReasons(deps);
    logReasons(log, turn.reasons, reasons);
    const names = reasons.map(({ name }) => name);
    const outcome = names.length > 0 ? "held_back" : (await call()) ? "called" : "failed";
    callsTotal.inc({ outcome });
    await endTurn(db, turn, { reasons: names, isDone: outcome === "called" });
    return outcome;
  };
}

/** Logs each reason when it starts and when it ends, even if another process found it first. */
function logReasons(log: Log, before: readonly string[], reasons: readonly SelfWatchProblem[]): void {
  for (const { name, detail } of reasons) {
    if (!before.includes(name)) log.warn({ reason: name, detail }, "self-watch call suppressed");
  }
  const over = before.filter((name) => reasons.every((reason) => reason.name !== name));
  for (const reason of over) log.info({ reason }, "reason to suppress the self-watch call is over");
}

/** Returns `null` on success, else an error text that does not contain the address. */
async function callOnce({ egress, url, signal }: SelfWatchDeps): Promise<string | null> {
  try {
    const { statusCode } = await egress.request({
      method: "GET",
      url,
      headers: { "user-agent": "Sonde" },
      body: "",
      signal,
    });
    return statusCode >= 200 && statusCode < 300 ? null : `HTTP ${statusCode}`;
  } catch (thrown) {
    return thrown instanceof EgressError ? thrown.kind : "unknown";
  }
}

const suppressionReasons = scrapedGauge(
  "sonde_self_watch_held_back",
  "1 for each reason why the self-watch address is not called; absent while it is called",
  ["reason"],
);
const callsTotal = counter(
  "sonde_self_watch_calls_total",
  "Self-watch runs: `called`, `held_back` (not called), or `failed` (called without a successful response)",
  ["outcome"],
);

type Turn = {
  lease: string;
  reasons: string[];
};

const everyMs = 60_000;
/** Longer than a check and a call take. If a process dies, another takes over within the minute. */
const leaseMs = 35_000;
const retryMs = 10_000;

/** PostgreSQL's clock, since clocks of processes differ. */
const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** A time further ahead than possible was written before the clock was set back. */
const isOver = (column: string, atMostMs: number) => `not (${column} between ${nowMs} + 1 and ${nowMs} + ${atMostMs})`;

/** Takes this minute's turn; `null` if it is not due or another process has it. */
export async function takeTurn(db: Database): Promise<Turn | null> {
  const { rows } = await db.raw<{ rows: Turn[] }>(
    `update self_watch set lease = ?, lease_until_ms = ${nowMs} + ${leaseMs}
     where ${isOver("due_at_ms", everyMs)} and ${isOver("lease_until_ms", leaseMs)}
     returning lease, reasons`,
    [randomUUID()],
  );
  return rows[0] ?? null;
}

/** The next turn is next minute, or in ten seconds without a successful call. No effect after losing the lease. */
export async function endTurn(
  db: Database,
  { lease }: Turn,
  { reasons, isDone }: { reasons: readonly string[]; isDone: boolean },
): Promise<void> {
  const nextMs = isDone ? `(${nowMs} / ${everyMs} + 1) * ${everyMs}` : `${nowMs} + ${retryMs}`;
  await db.raw(
    `update self_watch set due_at_ms = ${nextMs}, lease = null, lease_until_ms = 0, reasons = ? where lease = ?`,
    [[...reasons], lease],
  );
}

export async function readReasons(db: Database): Promise<string[]> {
  const row = await db("self_watch").first<{ reasons: string[] }>("reasons");
  return row?.reasons ?? [];
}

/** Why the address is not called. Names are few, because they are metric labels. */
type SelfWatchProblem = { name: ServiceName | "locations" | "checks" | "deliveries"; detail: string };

type SelfWatchSources = {
  db: Database;
  clock: Clock;
  health: (service: ServiceName) => Pick<Client<typeof healthContract>, "check">;
  monitors: Pick<Client<typeof monitorsContract>, "listLocations" | "summary">;
};

/** Any replica may respond, and one that starts or drains is not a problem. */
const attempts = 3;

/**
 * Returns why Sonde as a whole is unhealthy; empty if it is healthy. Every service must be ready (with its database,
 * the bus and, for metrics, ClickHouse), each location of a monitor must have a runner, and results and alerts must
 * flow. Running this check shows that the notifier, its database and the bus work.
 */
async function findReasons(watched: SelfWatchSources): Promise<SelfWatchProblem[]> {
  const others = serviceNames.filter((name) => name !== "notifier");
  const found = await Promise.all([
    ...others.map((name) => findUnready(watched, name)),
    findUnwatched(watched),
    findSilence(watched),
    findStuck(watched),
  ]);
  return found.flatMap((reason) => reason ?? []);
}

async function findUnready({ health }: SelfWatchSources, name: ServiceName): Promise<SelfWatchProblem | null> {
  let detail = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await health(name)
      .check({})
      .catch(() => null);
    if (answer === null) return { name, detail: `${name} does not respond` };
    const missing = answer.conditions.filter(({ holds }) => !holds).map((condition) => condition.name);
    if (missing.length === 0) return null;
    detail = `${name} is not ready: ${missing.join(", ")}`;
  }
  return { name, detail };
}

async function findUnwatched({ monitors }: SelfWatchSources): Promise<SelfWatchProblem | null> {
  const answer = await monitors.listLocations({}).catch(() => null);
  if (answer === null) return { name: "locations", detail: "listing locations failed" };
  const missing = answer.locations.filter(({ runners }) => runners === 0).map(({ name }) => name);
  return missing.length === 0 ? null : { name: "locations", detail: `no probe runner at ${missing.join(", ")}` };
}

/** A single monitor may miss slots for its own reasons; half of them do not. */
async function findSilence({ monitors }: SelfWatchSources): Promise<SelfWatchProblem | null> {
  const answer = await monitors.summary({}).catch(() => null);
  if (answer === null) return { name: "checks", detail: "counting monitors failed" };
  const { active, stale } = answer.counts;
  const isSilent = stale > 0 && stale >= active / 2;
  return isSilent ? { name: "checks", detail: `${stale} of ${active} active monitors missed three checks` } : null;
}

async function findStuck({ db, clock }: SelfWatchSources): Promise<SelfWatchProblem | null> {
  const stuck = await countStuck(db, clock.now());
  return stuck === 0 ? null : { name: "deliveries", detail: `${stuck} due messages are not being sent` };
}

const stuckMs = 10 * 60_000;

/**
 * Counts messages that have been due for ten minutes on working channels, while no message of their channel was settled
 * or is being sent: the sender is stuck. An unavailable or throttling provider does not count: then an earlier message
 * waits for its retry, perhaps on another channel of the type, since channels may share a rate limit.
 */
export async function countStuck(db: Database, nowMs: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*) as count from messages join channels on channels.id = channel_id
     where messages.status = 'pending' and mail_kind is null and due_at_ms <= :beforeMs
       and enabled and is_healthy and not is_dead and coalesce(last_settled_at_ms, 0) <= :beforeMs
       and not exists (
         select from messages as other join channels as alike on alike.id = other.channel_id
         where alike.type = channels.type and other.status = 'pending'
           and (
             (alike.id = channels.id and other.lease_until_ms > :nowMs)
             or (other.attempts > 0 and other.due_at_ms > :beforeMs)
           )
       )`,
    { nowMs: Math.round(nowMs), beforeMs: Math.round(nowMs - stuckMs) },
  );
  return rows[0]?.count ?? 0;
}
