import { wholeNumber } from "../../numbers.ts";
import { host } from "./fields.ts";
import { kind } from "./kind.ts";

/** Minimum duration of a number of pings in milliseconds: five are sent per second, and the last one is awaited. */
export const pingsTakeMs = (count: number): number => (count - 1) * 200 + 400;

/** Number of pings that fit into a duration, at least one. */
export const pingsWithin = (ms: number): number => Math.max(1, Math.floor((ms - 400) / 200) + 1);

/** A host that replies to pings (ICMP echo). */
export const icmp = kind({
  type: "icmp",
  fields: {
    host,
    count: wholeNumber(1, 10, "Enter a whole number of pings from {min} to {max}")
      .default(3)
      .meta({ description: "Number of pings per check, sent five per second." }),
    maxLoss: wholeNumber(0, 99, "Enter the packet loss as a whole percentage from 0 to {max}")
      .default(50)
      .meta({ description: "Maximum percentage of pings without a reply." }),
    maxRtt: wholeNumber(1, 60_000, "Enter the round trip as a whole number of milliseconds from {min} to {max}")
      .optional()
      .meta({ description: "Maximum average round trip, in milliseconds." }),
  },
  // A single ping fits into any timeout if the host is fast.
  needsMs: ({ count }) => (count === 1 ? undefined : { path: "count", ms: pingsTakeMs(count) }),
  target: (check) => `icmp://${check.host}`,
  hosts: (check) => [{ path: "host", value: check.host }],
});
