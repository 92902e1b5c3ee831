import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Identity, Ledger } from "./simulated-agent.ts";

export type Orders = {
  port: number;
  identities: Identity[];
  intervalMs: number;
  /** Number of connections that the agents share, as behind a gateway. */
  pooled: number;
  /** All agents report at the same instant instead of at their own phase of the interval. */
  together?: boolean;
};
/** Since the last query: the time from each report to its acknowledgement, and the outcomes. */
export type Seen = { tookMs: number[]; outcomes: Record<string, number> };
export type Count = { waiting: number };
export type FleetAnswers = { seen: Seen; count: Count; halt: null; ledgers: Ledger[] };
export type Ask = keyof FleetAnswers;

const lookMs = 200;

export type Fleet = {
  ask<What extends Ask>(what: What): Promise<FleetAnswers[What]>;
  /** Stops sampling and resolves when no sample is queued. Rejects after `withinMs`. */
  drained(withinMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** Starts agents, which begin to report at once. */
export function startFleet(orders: Orders): Fleet {
  const child = fork(join(import.meta.dirname, "fleet-process.ts"), { serialization: "advanced" });
  const ended = once(child, "exit");
  const gone = ended.then(([code]) => {
    throw new Error(`the fleet ended with ${String(code)}`);
  });
  gone.catch(() => {});
  child.send({ orders });
  const ask: Fleet["ask"] = async (what) => {
    child.send({ ask: what });
    const [answer] = await Promise.race([once(child, "message"), gone]);
    return answer as FleetAnswers[typeof what];
  };
  return {
    ask,
    async drained(withinMs) {
      await ask("halt");
      const untilMs = performance.now() + withinMs;
      for (;;) {
        const { waiting } = await ask("count");
        if (waiting === 0) return;
        if (performance.now() > untilMs) throw new Error(`${waiting} samples still wait`);
        await sleep(lookMs);
      }
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
