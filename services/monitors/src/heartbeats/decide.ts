import { isCalm } from "@sonde/domain/incidents/flapping";
import type { Ping } from "@sonde/proto/gen/pings/v1/pings";
import type { CheckError } from "@sonde/proto/http/monitors/checks";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { TrackedMonitor } from "../state/tracked.ts";
import { dueAfter } from "./due.ts";
import { breachOf, withFacts } from "./facts.ts";
import type { HeartbeatState, RunningRun } from "./state.ts";

export type TrackedHeartbeat = TrackedMonitor & {
  check: CheckOf<"heartbeat">;
  /** When it was created or resumed; earlier pings are ignored. */
  sinceMs: number;
  /** `null` before the first ping. */
  state: HeartbeatState | null;
};

/** A run that ended, or an expected one that did not happen. */
export type RunOutcome = { atMs: number; slotMs: number | null; durationMs: number | null; error?: CheckError };
export type HeartbeatDecision = {
  ignored?: never;
  state: HeartbeatState;
  status: MonitorStatus;
  /** `null` if the ping ends no run. */
  outcome: RunOutcome | null;
  /** Due time of a run that may have happened unobserved, because no gateway accepted pings. */
  unseenMs?: number;
  calms: boolean;
};
export type HeartbeatVerdict = { ignored: "paused" | "seen" | "before" | "log" } | HeartbeatDecision;

const maxRunning = 20;
const maxSeen = 8;
const maxOutput = 500;

/**
 * Applies one ping to a heartbeat. Pure: the same pings in the same order give the same decisions on any replica.
 * `atMs` is when the bus stored it.
 */
export function decideHeartbeat(item: TrackedHeartbeat, ping: Ping, atMs: number): HeartbeatVerdict {
  if (item.activeSinceMs === null) return { ignored: "paused" };
  if (atMs < item.sinceMs) return { ignored: "before" };
  if (item.state?.seen.includes(ping.id)) return { ignored: "seen" };
  const before = item.state ?? firstState(item, atMs);
  const state = { ...before, seen: [...before.seen, ping.id].slice(-maxSeen) };
  if (ping.type === "log") return item.state === null ? { ignored: "log" } : unchanged(item, state);
  if (ping.type === "start") return unchanged(item, begun(state, ping.runId, atMs));

  const run = runOf(state.running, ping.runId);
  const measuredMs = ping.durationMs ?? (run === undefined ? null : atMs - run.sinceMs);
  const ended = {
    ...state,
    running: state.running.filter((one) => one !== run),
    ended: ping.runId === undefined ? state.ended : [...state.ended, ping.runId].slice(-maxRunning),
    lastRun: {
      startedAtMs: run?.sinceMs ?? null,
      durationMs: measuredMs,
      exitCode: ping.exitCode ?? (ping.type === "fail" ? null : 0),
    },
  };
  const isSuccess = ping.type === "success" && (ping.exitCode ?? 0) === 0;
  const facts = isSuccess ? withFacts(state.facts, ping.facts) : state.facts;
  const error =
    errorOf(item.check, ping, measuredMs, run) ??
    (isSuccess ? breachOf(item.check, ping.facts, state.facts) : undefined);
  return finished(item, { ...ended, ...(facts && { facts }) }, { atMs, durationMs: measuredMs, error });
}

function firstState({ version, check }: Pick<TrackedHeartbeat, "version" | "check">, atMs: number): HeartbeatState {
  const empty = { running: [], ended: [], seen: [], lastRun: null, lastSlotMs: 0, failures: 0 };
  return { version, anchorMs: null, ...dueAfter(check, atMs), ...empty };
}

/** For an imported job that already pings: the first success is due one period from now. */
export const dueFromNow = (heartbeat: Pick<TrackedHeartbeat, "version" | "check">, nowMs: number): HeartbeatState => ({
  ...firstState(heartbeat, nowMs),
  anchorMs: nowMs,
});

const unchanged = ({ status }: TrackedHeartbeat, state: HeartbeatState): HeartbeatDecision => ({
  state,
  status,
  outcome: null,
  calms: false,
});

function begun(state: HeartbeatState, runId: string | undefined, atMs: number): HeartbeatState {
  if (runId !== undefined && state.ended.includes(runId)) return state;
  const others = state.running.filter((run) => run.runId !== runId);
  const running = [...others, { runId, sinceMs: atMs }].slice(-maxRunning);
  return { ...state, running, startByMs: atMs >= state.dueMs - state.earlyMs ? null : state.startByMs };
}

const runOf = (running: readonly RunningRun[], runId: string | undefined) =>
  running.findLast((run) => run.runId === runId);

function errorOf(
  { minRuntime, maxRuntime, keepOutput }: CheckOf<"heartbeat">,
  { type, exitCode = 0, output = "" }: Ping,
  durationMs: number | null,
  run: RunningRun | undefined,
): CheckError | undefined {
  if (type === "fail" || exitCode !== 0) {
    const words = exitCode === 0 ? "The job reported a failure" : `The job ended with exit code ${exitCode}`;
    const shown = keepOutput ? output.replace(/\s+/g, " ").trim().slice(0, maxOutput).toWellFormed() : "";
    return { kind: "failed", message: shown === "" ? words : `${words}: ${shown}` };
  }
  if (run?.overdue === true || (maxRuntime !== undefined && durationMs !== null && durationMs > maxRuntime * 1_000)) {
    return overrunOf(maxRuntime ?? 0);
  }
  if (minRuntime !== undefined && durationMs !== null && durationMs < minRuntime * 1_000) {
    return { kind: "too_quick", message: `The run ended in less than ${minRuntime} s` };
  }
  return undefined;
}
const overrunOf = (maxRuntime: number): CheckError => ({
  kind: "overrun",
  message: `The run exceeded ${maxRuntime} s`,
});

type Ended = Omit<RunOutcome, "slotMs" | "error"> & { error?: CheckError | undefined };

/**
 * Records the end or failure of a run. A run at most `earlyMs` early satisfies the next due time. With `every`, any
 * run moves the due time, but an earlier one gets a slot of its own at most four times a period. With `cron`, an
 * earlier run satisfies no due time.
 */
function finished(item: TrackedHeartbeat, state: HeartbeatState, { error, ...ended }: Ended): HeartbeatDecision {
  const { atMs } = ended;
  const { check, status, flapping, intervalMs } = item;
  const isMet = atMs >= state.dueMs - state.earlyMs;
  const isForward = check.every !== undefined && atMs - state.lastSlotMs >= (check.every * 60_000) / 4;
  const slotMs = isMet ? Math.min(state.dueMs, atMs) : isForward ? atMs : null;
  const due = check.every !== undefined ? dueAfter(check, atMs) : isMet ? dueAfter(check, state.dueMs) : null;
  const isStillFailing = flapping.isFlapping && state.failures > 0;
  const next = error !== undefined || isStillFailing ? "down" : "up";
  return {
    state: {
      ...state,
      ...due,
      anchorMs: atMs,
      lastSlotMs: slotMs ?? state.lastSlotMs,
      failures: error === undefined ? 0 : state.failures + 1,
    },
    status: next,
    outcome: { ...ended, slotMs, ...(error !== undefined && { error }) },
    calms: next === status && isCalm(flapping, intervalMs, atMs),
  };
}

/** When the absence of a ping must be judged next; `null` if nothing is expected. */
export function nextLookMs({ state, check, activeSinceMs }: TrackedHeartbeat): number | null {
  if (state === null || activeSinceMs === null) return null;
  const { maxRuntime } = check;
  const runs = maxRuntime === undefined ? [] : state.running.filter(({ overdue }) => overdue !== true);
  const overrunsMs = runs.map(({ sinceMs }) => sinceMs + maxRuntime! * 1_000);
  return Math.min(state.deadlineMs, state.startByMs ?? Infinity, ...overrunsMs);
}

/**
 * Decides what the absence of pings until `nextLookMs` means.
 * @param isCovered whether gateways accepted pings without a gap since then
 */
export function decideSilence(
  item: TrackedHeartbeat,
  isCovered: (sinceMs: number) => boolean,
): HeartbeatDecision | null {
  const { state, check } = item;
  const lookMs = nextLookMs(item);
  if (state === null || lookMs === null) return null;
  const run = state.running.find(
    ({ overdue, sinceMs }) => overdue !== true && sinceMs + (check.maxRuntime ?? Infinity) * 1_000 <= lookMs,
  );
  if (run !== undefined) {
    const others = state.running.filter((one) => one !== run);
    if (!isCovered(run.sinceMs)) return unchanged(item, { ...state, running: others });
    const running = [...others, { ...run, overdue: true }];
    const ended = { atMs: lookMs, durationMs: null, error: overrunOf(check.maxRuntime!) };
    return finished(item, { ...state, running }, ended);
  }
  const next = dueAfter(check, state.dueMs);
  // The next due time follows from the missed one, not from the time of this decision.
  const missed = { ...state, ...next, lastSlotMs: state.dueMs, running: state.running };
  if (!isCovered(state.dueMs - state.earlyMs)) return { ...unchanged(item, missed), unseenMs: state.dueMs };
  const message = lookMs === state.startByMs ? "No start ping arrived in time" : "No success ping arrived in time";
  return {
    state: { ...missed, failures: state.failures + 1 },
    status: "down",
    outcome: { atMs: lookMs, slotMs: state.dueMs, durationMs: null, error: { kind: "missed", message } },
    calms: false,
  };
}

/** Recomputes the due time after an edit. It is never before the edit. */
export function rebased({ state, check, version, activeSinceMs }: TrackedHeartbeat): HeartbeatState | null {
  if (state === null || activeSinceMs === null) return null;
  const periodMs = (check.every ?? 0) * 60_000;
  const fromMs = Math.max(state.anchorMs ?? 0, activeSinceMs - periodMs);
  return { ...state, version, ...dueAfter(check, fromMs) };
}
