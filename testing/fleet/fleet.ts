import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Identity, Ledger } from "./simulated-agent.ts";

export type Orders = {
  port: number;
  identities: Identity[];
  intervalMs: number;
  /** How many connections the agents share, as behind a gateway. */
  pooled: number;
  /** All report in the same instant, instead of each on its own phase of the interval. */
  together?: boolean;
};
/** Since it was asked last: how long each report took until it was acknowledged, and what came of all. */
export type Seen = { tookMs: number[]; outcomes: Record<string, number> };
export type Count = { waiting: number };
export type FleetAnswers = { seen: Seen; count: Count; halt: null; ledgers: Ledger[] };
export type Ask = keyof FleetAnswers;

const lookMs = 200;

export type Fleet = {
  ask<What extends Ask>(what: What): Promise<FleetAnswers[What]>;
  /** No more samples; settles when none waits. Rejects where they still do after the time. */
  drained(withinMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** Starts agents, which report from now on. */
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
