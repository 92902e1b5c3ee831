import type { ReportedHost } from "./encode.ts";
import type { AgentConfig } from "./config.ts";
import type { Spool } from "./spool.ts";
import { backoffMs, type ReportOutcome } from "./transport.ts";

export interface ReporterState {
  lastReportAtMs?: number;
  lastError?: string;
  failures: number;
  /** Milliseconds by which this machine's clock is ahead of the server's. */
  clockSkewMs?: number;
}

export interface ReporterContext {
  spool: Spool;
  limits: AgentConfig["limits"];
  send: (samples: Uint8Array[]) => Promise<ReportOutcome>;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  nowMs: () => number;
  random: () => number;
  log: (line: string) => void;
  /** `undefined`: the configured interval. */
  onInterval: (seconds: number | undefined) => void;
  onState: (state: ReporterState) => void;
}

export class KeyRefused extends Error {}

/**
 * Sends the spool to the server, oldest first. Returns when the spool is empty or `signal` aborts. Unsent samples
 * stay in the spool and are retried after a growing pause, or the one that the server requested.
 */
export function createReporter(ctx: ReporterContext) {
  const state: ReporterState = { failures: 0 };
  const paceMs = 60_000 / ctx.limits.reportsPerMinute;
  let batchSamples = ctx.limits.maxBatchSamples;

  function accepted(outcome: ReportOutcome & { kind: "accepted" }, sentAtMs: number): void {
    const now = ctx.nowMs();
    if (state.failures > 0) ctx.log(`The server accepts reports again (${ctx.spool.waiting()} samples queued)`);
    if (outcome.rejected.length > 0) ctx.log(`The server did not store ${outcome.rejected.join(", ")}`);
    Object.assign(state, { lastReportAtMs: now, failures: 0, lastError: undefined });
    // The server's time lies between sending and receiving.
    if (outcome.serverTimeMs !== undefined) state.clockSkewMs = (sentAtMs + now) / 2 - outcome.serverTimeMs;
    batchSamples = Math.min(ctx.limits.maxBatchSamples, batchSamples * 2);
    ctx.onInterval(outcome.intervalSeconds);
  }

  /** @returns the pause before the next report, milliseconds */
  function settle(outcome: ReportOutcome, count: number, done: () => void, sentAtMs: number): number {
    switch (outcome.kind) {
      case "accepted":
        done();
        accepted(outcome, sentAtMs);
        return paceMs;
      case "refused":
        state.lastError = outcome.reason;
        ctx.onState(state);
        throw new KeyRefused(outcome.reason);
      case "too large":
      case "invalid":
        if (count > 1) {
          // Some samples are invalid; smaller batches isolate them.
          batchSamples = Math.max(1, Math.floor(count / 2));
          return paceMs;
        }
        ctx.log(`A sample was dropped: ${outcome.reason}`);
        done();
        return paceMs;
      case "later": {
        state.failures += 1;
        if (state.failures === 1 || outcome.reason !== state.lastError) {
          ctx.log(`Reports fail, samples are queued: ${outcome.reason}`);
        }
        state.lastError = outcome.reason;
        return Math.max(outcome.afterMs ?? 0, backoffMs(state.failures, ctx.random));
      }
    }
  }

  return {
    state,
    /** @throws KeyRefused */
    async drain(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const batch = ctx.spool.peek({ samples: batchSamples, bytes: ctx.limits.maxBodyBytes * 0.9 });
        if (batch === undefined) return;
        const sentAtMs = ctx.nowMs();
        const outcome = await ctx.send(batch.samples);
        const pauseMs = settle(outcome, batch.samples.length, batch.done, sentAtMs);
        ctx.onState(state);
        if (outcome.kind === "accepted" && ctx.spool.waiting() === 0) return;
        await ctx.wait(pauseMs, signal);
      }
    },
  };
}

/** Addresses change rarely. */
const lookEveryMs = 60_000;

/** Tracks whether the host's facts must be sent: at the start and after a change. */
export function hostChanges(read: () => Promise<ReportedHost>, monotonicMs: () => number) {
  let now: ReportedHost | undefined;
  let lookedAtMs = 0;
  let known: string | undefined;
  return {
    async unsent(): Promise<ReportedHost | undefined> {
      if (now === undefined || monotonicMs() - lookedAtMs >= lookEveryMs) {
        lookedAtMs = monotonicMs();
        // Reports continue even if interfaces cannot be listed.
        now = await read().catch(() => now);
      }
      return now !== undefined && JSON.stringify(now) !== known ? now : undefined;
    },
    sent: (facts: ReportedHost): void => void (known = JSON.stringify(facts)),
  };
}
