import type { TimerClock } from "@sonde/kit/time/clock";
import type { MembershipChange, Membership } from "@sonde/kit/sharding/group";
import { slotAfter, slotAtOrBefore } from "@sonde/kit/time/slots";
import type { AssignmentHandler } from "../definitions/watch.ts";
import { createEntry, type ScheduleEntry, type SlotRunner } from "./slot-run.ts";
import { DueQueue } from "./queue.ts";

/** Begins each slot of each monitor on time, if this runner owns it. */
export interface Scheduler extends AssignmentHandler {
  /** Starts scheduling, including slots since `sinceMs` that no other runner covered. Nothing runs before. */
  start(membership: Pick<Membership, "id" | "members" | "ownerAt" | "owns" | "inherited">, sinceMs: number): void;
  /** Call when group membership changes, or the clock jumped: slots of runners that left may now belong to this one. */
  regroup(change: MembershipChange): void;
  /** Begins what is already due, then stops. Resolves when all checks ended; does not wait for re-checks. */
  stop(): Promise<void>;
  monitors(): number;
  /** Checks per second due for all runners of the location together, without re-checks. */
  dueChecksPerSecond(): number;
}

export interface SchedulerOptions {
  clock: TimerClock;
  slots: SlotRunner;
  onSkipped(slots: number): void;
}

// The wall clock may be stepped, so no timer is trusted for longer.
const maxSleepMs = 1000;
// Checks due within one window start together at its end. A check that starts alone wakes the process for each of its
// events and takes up to twice the CPU. The window is the shortest that has 3 checks, because with many checks in it
// the last one would wait for the others. Intervals that are multiples of the window give a constant delay.
const windowsMs = [10, 20, 50, 100];
const maxWindowMs = 200;
const checksPerWindow = 3;
const drainPollMs = 20;
// Catches up on 1000 missed slots a second.
const catchUpAtOnce = 20;
const catchUpEveryMs = 20;

export function createScheduler({ clock, slots, onSkipped }: SchedulerOptions): Scheduler {
  const entries = new Map<number, ScheduleEntry>();
  const queue = new DueQueue<ScheduleEntry>();
  let membership: Parameters<Scheduler["start"]>[0] | undefined;
  let cancelTimer: (() => void) | undefined;
  let timerDueMs = Number.POSITIVE_INFINITY;
  let dueChecksPerSecond = 0;
  let stopped = false;

  function windowMs(): number {
    const ownPerSecond = dueChecksPerSecond / Math.max(1, membership?.members().length ?? 1);
    return windowsMs.find((ms) => (ownPerSecond * ms) / 1000 >= checksPerWindow) ?? maxWindowMs;
  }

  const newestSlot = ({ assignment }: ScheduleEntry) =>
    slotAtOrBefore(assignment.monitorId, assignment.intervalMs, clock.now());

  function scheduleNext(entry: ScheduleEntry) {
    const { monitorId, intervalMs } = entry.assignment;
    queue.put(entry, slotAfter(monitorId, intervalMs, clock.now()));
  }

  function sleep() {
    const next = queue.peek();
    if (membership === undefined || stopped || next === undefined) return;
    const [nowMs, stepMs] = [clock.now(), windowMs()];
    const dueMs = Math.ceil(Math.min(next.dueMs, nowMs + maxSleepMs) / stepMs) * stepMs;
    // Keep a timer that fires early enough: checking the queue is cheaper than a new timer.
    if (cancelTimer !== undefined && timerDueMs <= dueMs) return;
    cancelTimer?.();
    timerDueMs = dueMs;
    cancelTimer = clock.setTimeout(tick, Math.max(0, dueMs - nowMs));
  }

  function tick() {
    cancelTimer = undefined;
    timerDueMs = Number.POSITIVE_INFINITY;
    const [nowMs, stepMs] = [clock.now(), windowMs()];
    // A late timer must not start the next window: its checks would start earlier than usual.
    const dueMs = Math.floor(nowMs / stepMs) * stepMs;
    beginDueBy(dueMs, nowMs);
    sleep();
  }

  function beginDueBy(dueMs: number, nowMs: number) {
    for (let entry = queue.peek(); entry !== undefined && entry.dueMs <= dueMs; entry = queue.peek()) {
      beginDue(entry, nowMs);
    }
  }

  function beginDue(entry: ScheduleEntry, nowMs: number) {
    const { monitorId, intervalMs } = entry.assignment;
    const slotMs = slotAtOrBefore(monitorId, intervalMs, nowMs);
    const overdue = Math.round((slotMs - entry.dueMs) / intervalMs);
    queue.put(entry, slotMs + intervalMs);
    if (slotMs <= entry.begunSlotMs || !membership!.owns(monitorId, slotMs)) return;
    if (overdue > 0) onSkipped(overdue);
    slots.begin(entry, slotMs, "due");
  }

  // Spread out: a burst would delay checks that are due now.
  function catchUp(isOurs: (monitorId: number, slotMs: number) => boolean) {
    const missed = [...entries.values()].filter((entry) => {
      const slotMs = newestSlot(entry);
      return slotMs > entry.begunSlotMs && isOurs(entry.assignment.monitorId, slotMs);
    });
    const step = () => {
      for (const entry of missed.splice(0, catchUpAtOnce)) {
        const slotMs = newestSlot(entry);
        if (!stopped && slotMs > entry.begunSlotMs && entry.position >= 0) slots.begin(entry, slotMs, "catch-up");
      }
      if (missed.length > 0 && !stopped) clock.setTimeout(step, catchUpEveryMs);
    };
    step();
  }

  return {
    assign(assignment, fresh) {
      const { monitorId, version } = assignment;
      let entry = entries.get(monitorId);
      const isNew = entry === undefined || entry.assignment.version !== version;
      if (entry !== undefined && !isNew) {
        dueChecksPerSecond -= 1000 / entry.assignment.intervalMs;
        entry.assignment = assignment;
      } else {
        if (entry !== undefined) remove(entry);
        entry = createEntry(assignment, fresh);
        entries.set(monitorId, entry);
      }
      dueChecksPerSecond += 1000 / assignment.intervalMs;
      scheduleNext(entry);
      // The newest slot may be older than the group's history, so use the current owner.
      if (isNew && fresh && membership?.owns(monitorId, clock.now())) slots.begin(entry, newestSlot(entry), "catch-up");
      sleep();
    },
    release(monitorId) {
      const entry = entries.get(monitorId);
      if (entry !== undefined) remove(entry);
    },
    start(joined, sinceMs) {
      membership = joined;
      // Slots that became due before this point are either caught up on below or belong to another runner.
      for (const entry of entries.values()) scheduleNext(entry);
      catchUp((monitorId, slotMs) => {
        if (slotMs < sinceMs) return false;
        const owner = joined.ownerAt(monitorId, slotMs);
        return owner === joined.id || (owner === null && joined.owns(monitorId, clock.now()));
      });
      sleep();
    },
    regroup(change) {
      if (membership === undefined || stopped || !change.effective) return;
      const { inherited } = membership;
      if (change.reason === "gap") {
        // Drop what was due during the clock jump.
        for (const entry of entries.values()) {
          slots.end(entry, "nothing");
          entry.begunSlotMs = Number.NEGATIVE_INFINITY;
          scheduleNext(entry);
        }
        cancelTimer?.();
        cancelTimer = undefined;
        return sleep();
      }
      catchUp((monitorId, slotMs) => slotMs >= change.sinceMs && inherited(monitorId, slotMs, change));
    },
    async stop() {
      // The next owner takes only slots from now on, so begin those already due here.
      if (membership !== undefined) beginDueBy(clock.now(), clock.now());
      stopped = true;
      cancelTimer?.();
      for (const entry of entries.values()) if (entry.run?.pendingResult !== undefined) slots.end(entry, "result");
      while ([...entries.values()].some(({ run }) => run !== undefined)) {
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, drainPollMs));
        // Do not wait for a re-check of a check that failed during the drain.
        for (const entry of entries.values()) if (entry.run?.pendingResult !== undefined) slots.end(entry, "result");
      }
    },
    dueChecksPerSecond: () => dueChecksPerSecond,
    monitors: () => entries.size,
  };

  function remove(entry: ScheduleEntry) {
    queue.remove(entry);
    entries.delete(entry.assignment.monitorId);
    dueChecksPerSecond -= 1000 / entry.assignment.intervalMs;
    slots.end(entry, "nothing");
  }
}
