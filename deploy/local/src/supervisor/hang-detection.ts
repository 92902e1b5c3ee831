import type { Terminal } from "../terminal.ts";
import { type EachSecond, everySecond } from "./seconds.ts";

const reportedAfterSeconds = 10;
const deadAfterSeconds = 30;
/** A start may block the event loop for long, to load modules and open years of data. */
const deadStartAfterSeconds = 300;

/**
 * Reports a process that sends no sign of life for 10 s, and calls `end` after 30 s. A starting process is not reported and
 * has 300 s. Seconds are counted with a timer of this process, so a suspended or overloaded machine, on which the timer is
 * also late, does not end a process.
 */
export function watchForHang(
  subject: string,
  { info, warn }: Pick<Terminal, "info" | "warn">,
  end: () => void,
  timing: { isStarting?: () => boolean; eachSecond?: EachSecond } = {},
) {
  const { isStarting = () => false, eachSecond = everySecond } = timing;
  let silentSeconds = 0;
  let isReported = false;
  let isEnded = false;
  const stop = eachSecond(() => {
    silentSeconds++;
    if (isEnded) return;
    if (silentSeconds >= (isStarting() ? deadStartAfterSeconds : deadAfterSeconds)) {
      isEnded = true;
      warn(`${subject} does not respond and was killed.`);
      end();
    } else if (silentSeconds >= reportedAfterSeconds && !isReported && !isStarting()) {
      isReported = true;
      warn(`${subject} has not responded for 10 s; it will be restarted after 30 s.`);
    }
  });
  return {
    confirmAlive(): void {
      silentSeconds = 0;
      if (isReported && !isEnded) info(`${subject} responds again.`);
      isReported = false;
    },
    stop,
  };
}
