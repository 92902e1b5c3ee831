import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { Assignment } from "../definitions/watch.ts";
import type { QueuedItem } from "./queue.ts";

/** A monitor in the schedule: its definition, when it is next due, and the results of its last checks. */
export interface ScheduleEntry extends QueuedItem {
  assignment: Assignment;
  /** The newest slot that was begun here; -Infinity before the first. */
  begunSlotMs: number;
  /** Failures in a row, as far as this runner saw. */
  failures: number;
  lastStatus: "up" | "down" | undefined;
  /** It was made or changed while this runner ran: a user waits for its first result. */
  fresh: boolean;
  /** The last check ran into its timeout. */
  suspect: boolean;
  run: SlotRun | undefined;
}

/** A slot being carried out: its first check and the re-checks of a failure. */
export interface SlotRun {
  slotMs: number;
  controller: AbortController;
  /** Begun attempts. */
  attempts: number;
  failuresBefore: number;
  /** The slot's result so far, kept back while a re-check may still replace it. */
  held: CheckResult | undefined;
  /** Ends the wait for a re-check. */
  wake: (() => void) | undefined;
}

export function createEntry(assignment: Assignment, fresh: boolean): ScheduleEntry {
  return {
    assignment,
    dueMs: 0,
    position: -1,
    begunSlotMs: Number.NEGATIVE_INFINITY,
    failures: 0,
    lastStatus: undefined,
    fresh,
    suspect: false,
    run: undefined,
  };
}
