import { every } from "@sonde/kit/time/every";
import type { Log } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";

/** Work that is due again and again, or when it is nudged; one run at a time. What fails is tried at the next turn. */
export function repeat(
  work: () => Promise<void>,
  { everyMs, log, name }: { everyMs: number; log: Log; name: string },
): Service & { nudge(): void } {
  let stopped = false;
  let running: Promise<void> | undefined;
  let again = false;
  const turn = () => {
    if (stopped) return;
    if (running) {
      again = true;
      return;
    }
    running = work()
      .catch((error: unknown) => log.warn({ err: error }, `${name} failed; retrying`))
      .finally(() => {
        running = undefined;
        if (again) {
          again = false;
          turn();
        }
      });
  };
  const stopTurning = every(everyMs, { work: name, log, run: turn });
  return {
    nudge: turn,
    stop: async () => {
      stopped = true;
      stopTurning();
      await running;
    },
  };
}
