import type { Terminal } from "../terminal.ts";
import { type EachSecond, everySecond } from "./seconds.ts";

type HangOptions = {
  /** Called once for each silence. */
  onStill: () => void;
  /** Called when a sign came after `onStill`. */
  onBack: () => void;
  /** Called once. */
  onDead: () => void;
  /** Seconds without a sign until `onStill` (10) and `onDead` (30); read again each second. */
  stillAfterSeconds?: () => number;
  deadAfterSeconds?: () => number;
  eachSecond?: EachSecond;
};

const [usualStillSeconds, usualDeadSeconds] = [10, 30];

/**
 * Notices that a process sends no sign of life any more. Seconds are counted by this process's own timer: if the whole
 * machine was suspended, or is so busy that the timer itself is late, no process is blamed.
 */
export function watchForHang(options: HangOptions) {
  const { onStill, onBack, onDead, eachSecond = everySecond } = options;
  const { stillAfterSeconds = () => usualStillSeconds, deadAfterSeconds = () => usualDeadSeconds } = options;
  let silentSeconds = 0;
  let said = false;
  let ended = false;
  const stop = eachSecond(() => {
    silentSeconds++;
    if (ended) return;
    if (silentSeconds >= deadAfterSeconds()) {
      ended = true;
      onDead();
    } else if (silentSeconds >= stillAfterSeconds() && !said) {
      said = true;
      onStill();
    }
  });
  return {
    /** A sign of life came. */
    heard(): void {
      silentSeconds = 0;
      if (said && !ended) onBack();
      said = false;
    },
    stop,
  };
}

/** Reports a process that does not respond, and ends it, so that it is started again. */
export const endWhenHung = (
  subject: string,
  { say, warn }: Pick<Terminal, "say" | "warn">,
  end: () => void,
  timing: Pick<HangOptions, "stillAfterSeconds" | "deadAfterSeconds" | "eachSecond">,
) =>
  watchForHang({
    ...timing,
    onStill: () => warn(`${subject} has not responded for 10 s; after 30 s it is restarted.`),
    onBack: () => say(`${subject} responds again.`),
    onDead: () => {
      warn(`${subject} does not respond: killed.`);
      end();
    },
  });
