import type { Event } from "@sonde/proto/gen/events/v1/events";
import { startLoop } from "@sonde/kit/time/loop";
import { type EventContext, handleEvents } from "./handle.ts";

/** A queue of events for decisions, in order; those that arrive during a decision are decided together. */
export type Inbox = {
  /** Resolves at once while there is room. Events lost with the process are read again by the next reconciliation. */
  push(event: Event): Promise<void> | void;
  /** Resolves once the current decision is finished. */
  stop(): Promise<void>;
};

const atOnce = 100;
const room = 5_000;
const retryMs = 500;

export function openInbox(deps: EventContext, handle = handleEvents): Inbox {
  let waiting: Event[] = [];
  let stopped = false;
  const whenRoom: (() => void)[] = [];

  const run = async () => {
    while (waiting.length > 0 && !stopped) {
      const batch = waiting.slice(0, atOnce);
      await handle(deps, batch);
      waiting = waiting.slice(batch.length);
      for (const go of whenRoom.splice(0)) go();
    }
  };
  const { clock, log } = deps;
  const everyMs = Number.POSITIVE_INFINITY;
  const loop = startLoop({ work: "deciding events", log, clock, everyMs, retryMs, run });

  return {
    push(event) {
      // No room will be made any more, and the follower of events must not wait for it.
      if (stopped) return;
      // Those behind the first are taken by the same run, or by its retry.
      if (waiting.push(event) === 1) loop.nudge();
      if (waiting.length >= room) return new Promise((resolve) => whenRoom.push(resolve));
    },
    async stop() {
      stopped = true;
      await loop.stop();
      for (const go of whenRoom.splice(0)) go();
    },
  };
}
