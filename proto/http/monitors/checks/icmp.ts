import { z } from "zod";
import { host } from "./fields.ts";
import { kind } from "./kind.ts";

const countMessage = "The number of pings is a whole number from {min} to {max}";
const lossMessage = "The loss is a whole number of percent from 0 to {max}";
const rttMessage = "The round trip is a whole number of milliseconds from {min} to {max}";

/** A host that answers pings (ICMP echo). */
export const icmp = kind({
  type: "icmp",
  fields: {
    host,
    count: z
      .int(countMessage)
      .min(1, countMessage)
      .max(10, countMessage)
      .default(3)
      .meta({ description: "How many pings a check sends, five a second." }),
    maxLoss: z
      .int(lossMessage)
      .min(0, lossMessage)
      .max(99, lossMessage)
      .default(50)
      .meta({ description: "Percent of them that may stay without a reply." }),
    maxRtt: z
      .int(rttMessage)
      .min(1, rttMessage)
      .max(60_000, rttMessage)
      .optional()
      .meta({ description: "Milliseconds that a round trip may take on average." }),
  },
  target: (check) => `icmp://${check.host}`,
  hosts: (check) => [{ path: "host", value: check.host }],
});
