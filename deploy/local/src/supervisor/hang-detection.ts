import type { Terminal } from "../terminal.ts";
import { type EachSecond, everySecond } from "./seconds.ts";

const reportedAfterSeconds = 10;
const deadAfterSeconds = 30;
/** A start may keep its loop busy for long: loading modules, opening the data of years. */
const deadStartAfterSeconds = 300;

/**
 * Reports a process that sends no sign of life for 10 s, and calls `end` after 30 s, so that it is restarted. Seconds are
 * counted by this process's own timer: if the whole machine was suspended, or is so busy that the timer itself is late, no
 * process is blamed. One that is still starting has 300 s and is not reported.
 */
export function endWhenHung(
  subject: string,
  { say, warn }: Pick<Terminal, "say" | "warn">,
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
      warn(`${subject} does not respond: killed.`);
      end();
    } else if (silentSeconds >= reportedAfterSeconds && !isReported && !isStarting()) {
      isReported = true;
      warn(`${subject} has not responded for 10 s; after 30 s it is restarted.`);
    }
  });
  return {
    /** A sign of life came. */
    heard(): void {
      silentSeconds = 0;
      if (isReported && !isEnded) say(`${subject} responds again.`);
      isReported = false;
    },
    stop,
  };
}
