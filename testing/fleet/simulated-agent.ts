import { encodeSample } from "@sonde/agent/encode";
import type { HttpClient } from "@sonde/agent/http-client";
import { createReporter } from "@sonde/agent/reporter";
import { sendReport } from "@sonde/agent/transport";
import { setTimeout as sleep } from "node:timers/promises";
import { memorySpool } from "./memory-spool.ts";
import { simulatedHost } from "./simulated-host.ts";

export type Identity = { id: number; key: string };
/** Sequences of an agent's samples, oldest first, and how many of them, from the first, were acknowledged. */
export type Ledger = { id: number; bootId: string; made: number[]; acknowledged: number };
export type SimulatedOutcome = { tookMs: number; outcome: string };

const limits = { minIntervalSeconds: 1, maxBatchSamples: 500, maxBodyBytes: 4 * 2 ** 20, reportsPerMinute: 120 };
const footprintRss = 52 * 2 ** 20;

/** One agent with generated figures. Encoding, queue, reports, backoff and pace are those of the real agent. */
export function simulatedAgent(
  { id, key }: Identity,
  intervalMs: number,
  client: HttpClient,
  onOutcome: (heard: SimulatedOutcome) => void,
) {
  const host = simulatedHost(intervalMs);
  const spool = memorySpool();
  const ledger: Ledger = { id, bootId: "", made: [], acknowledged: 0 };
  const staying = new AbortController().signal;
  let sending: Promise<void> | undefined;
  const reporter = createReporter({
    spool,
    limits,
    send: async (samples) => {
      const startedMs = performance.now();
      const outcome = await sendReport(client, { key, samples, intervalSeconds: intervalMs / 1000, nowMs: Date.now });
      // Only acknowledgements remove samples from the queue, so these are always the oldest.
      if (outcome.kind === "accepted" && outcome.accepted === samples.length) ledger.acknowledged += samples.length;
      else if (outcome.kind !== "later") throw new Error(`agent ${id}: ${JSON.stringify(outcome)}`);
      const word = outcome.kind === "later" ? outcome.reason : outcome.kind;
      onOutcome({ tookMs: performance.now() - startedMs, outcome: word });
      return outcome;
    },
    wait: (ms) => sleep(ms),
    nowMs: Date.now,
    random: Math.random,
    log: () => {},
    onInterval: () => {},
    onState: () => {},
  });
  return {
    ledger,
    waiting: spool.waiting,
    /** Takes a sample, and sends the queue unless a report is already running. */
    report() {
      const collected = host();
      ledger.bootId = collected.at.bootId;
      ledger.made.push(Math.floor(collected.at.monotonicMs));
      spool.append(encodeSample(collected, { rss: footprintRss, queued: spool.waiting() }));
      sending ??= reporter.drain(staying).finally(() => (sending = undefined));
    },
  };
}
