import type { ReportedHost } from "./encode.ts";
import type { AgentConfig } from "./config.ts";
import type { Spool } from "./spool.ts";
import { backoffMs, type ReportOutcome } from "./transport.ts";

/** The reporter's part of `sonde-agent status`. */
export interface ReporterState {
  lastReportAtMs?: number;
  lastError?: string;
  /** Attempts that failed since the last that did not. */
  failures: number;
  /** How far this machine's clock is ahead of the server's. */
  clockSkewMs?: number;
}

export interface ReporterContext {
  spool: Spool;
  limits: AgentConfig["limits"];
  send: (samples: Uint8Array[]) => Promise<ReportOutcome>;
  /** Resolves after the time, or at once when `signal` ends. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  nowMs: () => number;
  random: () => number;
  log: (line: string) => void;
  /** The server requested this interval; undefined: as configured. */
  onInterval: (seconds: number | undefined) => void;
  onState: (state: ReporterState) => void;
}

/** The server no longer knows this agent's key. */
export class KeyRefused extends Error {}

/**
 * Sends the spool to the server, oldest first. Returns when nothing waits or `signal` aborts; unsent samples stay in
 * the spool and are retried after a growing pause, or the one that the server requested.
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
    // The server's time is between sending and receiving.
    if (outcome.serverTimeMs !== undefined) state.clockSkewMs = (sentAtMs + now) / 2 - outcome.serverTimeMs;
    batchSamples = Math.min(ctx.limits.maxBatchSamples, batchSamples * 2);
    ctx.onInterval(outcome.intervalSeconds);
  }

  /** @returns how long to wait before the next report */
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
          // Some of them are at fault: smaller batches find which.
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

/** Looking costs little, and addresses change seldom. */
const lookEveryMs = 60_000;

/** Sends the host's facts once and when they change, not with each report. */
export function hostChanges(read: () => Promise<ReportedHost>, monotonicMs: () => number) {
  let now: ReportedHost | undefined;
  let lookedAtMs = 0;
  let known: string | undefined;
  return {
    /** The facts that were not sent yet: all of them at the start, and again after a change. */
    async untold(): Promise<ReportedHost | undefined> {
      if (now === undefined || monotonicMs() - lookedAtMs >= lookEveryMs) {
        lookedAtMs = monotonicMs();
        // If interfaces cannot be listed, reports continue without.
        now = await read().catch(() => now);
      }
      return now !== undefined && JSON.stringify(now) !== known ? now : undefined;
    },
    /** The server has it. */
    told: (facts: ReportedHost): void => void (known = JSON.stringify(facts)),
  };
}
