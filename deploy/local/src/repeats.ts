export type Repeats = {
  /** Shows a line, unless its like was shown not long ago: then it is counted. */
  tell: (line: string) => void;
  /** To be called once a minute: tells how often lines came again, and forgets those that no longer come. */
  minute: () => void;
};

type Known = { line: string; untold: number; sinceMinutes: number; periodMinutes: number; quietMinutes: number };

const mostKnown = 500;
const longestMinutes = 60;
const forgottenAfterMinutes = 2;

/**
 * Shows each line once and counts what comes again, told after 1, 2, 4 … 60 minutes. Lines that differ in digits alone
 * (times, ids, counts) are alike.
 */
export function countRepeats(show: (line: string) => void): Repeats {
  const known = new Map<string, Known>();
  const summarize = (entry: Known) => {
    if (entry.untold > 0) show(`${entry.line} (${entry.untold} more like it in ${minutes(entry.sinceMinutes)})`);
    Object.assign(entry, { untold: 0, sinceMinutes: 0 });
  };
  return {
    tell(line) {
      const key = line.replaceAll(/\d+/g, "#");
      const entry = known.get(key);
      if (entry) {
        entry.line = line;
        entry.untold++;
        entry.quietMinutes = 0;
        return;
      }
      if (known.size >= mostKnown) known.delete(known.keys().next().value as string);
      known.set(key, { line, untold: 0, sinceMinutes: 0, periodMinutes: 1, quietMinutes: 0 });
      show(line);
    },
    minute() {
      for (const [key, entry] of known) {
        entry.sinceMinutes++;
        entry.quietMinutes++;
        if (entry.quietMinutes > forgottenAfterMinutes) {
          summarize(entry);
          known.delete(key);
        } else if (entry.sinceMinutes >= entry.periodMinutes) {
          if (entry.untold > 0) entry.periodMinutes = Math.min(entry.periodMinutes * 2, longestMinutes);
          summarize(entry);
        }
      }
    },
  };
}

const minutes = (count: number) => (count === 1 ? "a minute" : `${count} minutes`);
