import type { Event } from "@sonde/proto/gen/events/v1/events";
import { type Handling, handleEvents } from "./handle.ts";

/** Events on their way to a decision, in order; those that come while some are decided are decided together. */
export type Inbox = {
  /** Resolves at once while there is room. What is lost with the process comes again with the next reconciliation. */
  push(event: Event): Promise<void> | void;
  /** Ends once what is being decided is. */
  stop(): Promise<void>;
};

const atOnce = 100;
const room = 5_000;
const retryMs = 500;

export function openInbox(deps: Handling, handle = handleEvents): Inbox {
  let waiting: Event[] = [];
  let stopped = false;
  let running: Promise<void> | null = null;
  const whenRoom: (() => void)[] = [];
  let wake = () => {};

  const start = () => {
    running ??= run().finally(() => {
      running = null;
      // One may have come while the last was on its way out.
      if (waiting.length > 0 && !stopped) start();
    });
  };
  const run = async () => {
    while (waiting.length > 0 && !stopped) {
      const batch = waiting.slice(0, atOnce);
      if (!(await attempt(batch))) continue;
      waiting = waiting.slice(batch.length);
      for (const go of whenRoom.splice(0)) go();
    }
  };
  const attempt = async (batch: readonly Event[]): Promise<boolean> => {
    try {
      await handle(deps, batch);
      return true;
    } catch (error) {
      deps.log.warn({ err: error, events: batch.length }, "events could not be decided; retrying");
      await new Promise<void>((resolve) => {
        if (stopped) return resolve();
        const cancel = deps.clock.setTimeout(resolve, retryMs);
        wake = () => (cancel(), resolve());
      });
      return false;
    }
  };

  return {
    push(event) {
      // Nobody will make room any more, and whoever brings events is waited for.
      if (stopped) return;
      waiting.push(event);
      start();
      if (waiting.length >= room) return new Promise((resolve) => whenRoom.push(resolve));
    },
    async stop() {
      stopped = true;
      wake();
      await running;
      for (const go of whenRoom.splice(0)) go();
    },
  };
}
