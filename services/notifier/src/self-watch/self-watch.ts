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
  /** Ends a call that is under way: this process stops. */
  signal: AbortSignal;
};

const lookMs = 2_000;
/** Others start beside us, and that they are not ready yet is not worth a word. */
const firstLookMs = 20_000;
/** Three answers one after the other take less than the lease (`turn-store.ts`), with the call. */
const askMs = 5_000;

/**
 * Calls an external address once a minute while all of Sonde works, so that a missing call raises an alarm there (a
 * dead man's switch). One replica calls; a row in PostgreSQL names it.
 */
export function startSelfWatch(bus: Bus, deps: Omit<SelfWatchDeps, "health" | "monitors" | "signal">): Service {
  const stopping = new AbortController();
  const watched: SelfWatchDeps = {
    ...deps,
    signal: stopping.signal,
    health: (service) => client(bus, healthContract, { scope: service, timeoutMs: askMs }),
    monitors: client(bus, monitorsContract, { timeoutMs: askMs }),
  };
  const look = createSelfWatch(watched);
  const startedMs = deps.clock.elapsedMs();
  const looking = startLoop({
    work: "self-watch",
    log: deps.log,
    everyMs: lookMs,
    run: () => (deps.clock.elapsedMs() - startedMs < firstLookMs ? undefined : look()),
  });
  const stopTelling = suppressionReasons(async () =>
    (await readReasons(deps.db)).map((reason) => ({ labels: { reason }, value: 1 })),
  );
  return {
    stop: async () => {
      stopTelling();
      stopping.abort();
      await looking.stop();
    },
  };
}

/** The result of a look: it was not this process's turn, faults prevented the call, it called, or the call failed. */
type SelfWatchOutcome = "not due" | "held_back" | "called" | "failed";

export function createSelfWatch(deps: SelfWatchDeps): () => Promise<SelfWatchOutcome> {
  const { db, log, signal } = deps;
  let isFailing = false;

  const call = async (): Promise<boolean> => {
    const fault = await callOnce(deps);
    if (fault !== null && signal.aborted) return false; // Another replica calls in ten seconds.
    if (fault !== null && !isFailing) log.warn({ fault }, "calling the address of the self-watch failed; retrying");
    if (fault === null && isFailing) log.info("the address of the self-watch answers again");
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

/** Logs each reason once, and once when it is over, whichever process found it before. */
function logReasons(log: Log, before: readonly string[], reasons: readonly SelfWatchFault[]): void {
  for (const { name, detail } of reasons) {
    if (!before.includes(name)) log.warn({ reason: name, detail }, "the self-watch holds its call back");
  }
  const over = before.filter((name) => reasons.every((reason) => reason.name !== name));
  for (const reason of over) log.info({ reason }, "a reason of the self-watch to hold its call back is over");
}

/** Null if the address answered well; else the fault, in words that do not contain the address. */
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

/** One minute's call, which one process looks after. */
type Turn = {
  lease: string;
  reasons: string[];
};

const everyMs = 60_000;
/** Longer than looking and calling take; a process that dies meanwhile is followed by another within the minute. */
const leaseMs = 35_000;
const retryMs = 10_000;

/** PostgreSQL's clock: those of several processes differ. */
const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** One further ahead than it may be was written before that clock was set back. */
const isOver = (column: string, atMostMs: number) => `not (${column} between ${nowMs} + 1 and ${nowMs} + ${atMostMs})`;

/** Takes the turn of this minute; null if it is not due, or another process has it. */
export async function takeTurn(db: Database): Promise<Turn | null> {
  const { rows } = await db.raw<{ rows: Turn[] }>(
    `update self_watch set lease = ?, lease_until_ms = ${nowMs} + ${leaseMs}
     where ${isOver("due_at_ms", everyMs)} and ${isOver("lease_until_ms", leaseMs)}
     returning lease, reasons`,
    [randomUUID()],
  );
  return rows[0] ?? null;
}

/**
 * Ends a turn: the next is due at the start of the next minute, or in ten seconds if no call was made or it failed. No
 * effect if the lease expired and another process has the turn.
 */
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

/** Why the outside address is not called. Of names there are few: they are labels of a metric. */
type SelfWatchFault = { name: ServiceName | "locations" | "checks" | "deliveries"; detail: string };

type SelfWatchSources = {
  db: Database;
  clock: Clock;
  health: (service: ServiceName) => Pick<Client<typeof healthContract>, "check">;
  monitors: Pick<Client<typeof monitorsContract>, "listLocations" | "summary">;
};

/** Of several replicas any may answer, and one that starts or drains is no trouble. */
const attempts = 3;

/**
 * Why Sonde as a whole does not work; empty if it does: every service is ready (with its database, the bus and, for
 * metrics, ClickHouse), each location that monitors name has a runner, results arrive, alerts are sent. This check
 * itself shows that the notifier, its database and the bus work.
 */
async function findReasons(watched: SelfWatchSources): Promise<SelfWatchFault[]> {
  const others = serviceNames.filter((name) => name !== "notifier");
  const found = await Promise.all([
    ...others.map((name) => findUnready(watched, name)),
    findUnwatched(watched),
    findSilence(watched),
    findStuck(watched),
  ]);
  return found.flatMap((reason) => reason ?? []);
}

async function findUnready({ health }: SelfWatchSources, name: ServiceName): Promise<SelfWatchFault | null> {
  let detail = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await health(name)
      .check({})
      .catch(() => null);
    if (answer === null) return { name, detail: `${name} does not answer` };
    const missing = answer.conditions.filter(({ holds }) => !holds).map((condition) => condition.name);
    if (missing.length === 0) return null;
    detail = `${name} is not ready: ${missing.join(", ")}`;
  }
  return { name, detail };
}

async function findUnwatched({ monitors }: SelfWatchSources): Promise<SelfWatchFault | null> {
  const answer = await monitors.listLocations({}).catch(() => null);
  if (answer === null) return { name: "locations", detail: "monitors does not tell its locations" };
  const missing = answer.locations.filter(({ runners }) => runners === 0).map(({ name }) => name);
  return missing.length === 0 ? null : { name: "locations", detail: `no probe runner at ${missing.join(", ")}` };
}

/** A single monitor may miss its slots for its own reasons; half of them do not. */
async function findSilence({ monitors }: SelfWatchSources): Promise<SelfWatchFault | null> {
  const answer = await monitors.summary({}).catch(() => null);
  if (answer === null) return { name: "checks", detail: "monitors does not tell its counts" };
  const { active, stale } = answer.counts;
  const isSilent = stale > 0 && stale >= active / 2;
  return isSilent ? { name: "checks", detail: `${stale} of ${active} active monitors missed three checks` } : null;
}

async function findStuck({ db, clock }: SelfWatchSources): Promise<SelfWatchFault | null> {
  const stuck = await countStuck(db, clock.now());
  return stuck === 0 ? null : { name: "deliveries", detail: `${stuck} messages are due and nobody sends them` };
}

const stuckMs = 10 * 60_000;

/**
 * The number of messages that have been due for ten minutes on working channels, while nothing of their channel was
 * settled or is being sent: the sender is stuck. A provider that is unavailable or asks for a delay does not count:
 * then a message sent before waits for its retry, perhaps on another channel of the type, since channels may share a
 * provider's limits.
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
