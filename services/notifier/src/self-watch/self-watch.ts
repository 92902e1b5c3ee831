import type { Bus } from "@sonde/kit/bus/connect";
import { client } from "@sonde/kit/bus/rpc";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import { startLoop } from "@sonde/kit/time/loop";
import { healthContract } from "@sonde/proto/rpc/health";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { type ChannelEgress, EgressFault } from "../channels/egress.ts";
import { findReasons, type SelfWatchFault, type SelfWatchSources } from "./reasons.ts";
import { endTurn, readReasons, takeTurn } from "./turn-store.ts";
import { counter, scrapedGauge } from "@sonde/kit/telemetry/metrics";

export type SelfWatchDeps = SelfWatchSources & {
  egress: Pick<ChannelEgress, "request">;
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
export type SelfWatchOutcome = "not due" | "held_back" | "called" | "failed";

/** One look of the self-watch per call. */
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
    return thrown instanceof EgressFault ? thrown.kind : "unknown";
  }
}

const suppressionReasons = scrapedGauge(
  "sonde_self_watch_held_back",
  "1 for each reason why the outside address of the self-watch is not called; none while it is",
  ["reason"],
);
const callsTotal = counter(
  "sonde_self_watch_calls_total",
  "Looks of the self-watch: called, held_back, or failed where the address did not answer well",
  ["outcome"],
);
