import type { Service } from "@sonde/kit/service/lifecycle";
import { every } from "@sonde/kit/time/every";
import type { Deciding } from "./deciding.ts";
import { takeUpHeld } from "./held.ts";
import { remind } from "./reminders.ts";

const everyMs = 1_000;

/** Each second: what was held and is due, and reminders. Rows say what is due, so a process that dies forgets nothing. */
export function startTicks(deps: Deciding): Service {
  let stopped = false;
  let running: Promise<void> | null = null;
  const tick = async () => {
    for (const work of [takeUpHeld, remind]) {
      while (!stopped && (await work(deps)) > 0);
    }
  };
  const stop = every(everyMs, {
    work: "held alerts and reminders",
    log: deps.log,
    run: () => {
      running ??= tick().finally(() => (running = null));
      return running;
    },
  });
  return {
    stop: async () => {
      stopped = true;
      stop();
      await running?.catch(() => {});
    },
  };
}
