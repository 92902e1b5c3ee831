import * as z from "zod";
import { wholeNumber } from "../../numbers.ts";
import type { FieldFault } from "../../reasons/issues.ts";
import { isTimeZone } from "../../notifications/settings.ts";
import { heartbeatFacts } from "../pings.ts";
import { kind } from "./kind.ts";

const longestSeconds = 604_800;
const seconds = (min: number) => wholeNumber(min, longestSeconds, "Enter a whole number of seconds from {min} to {max}");

/** A job that calls an address when it has run: silence is its failure. No probe runs. */
export const heartbeat = kind({
  type: "heartbeat",
  passive: true,
  facts: heartbeatFacts,
  fields: {
    every: z.number().min(1).max(525_600).optional().meta({ description: "Minutes from one success to the next." }),
    cron: z.string().max(200).optional().meta({
      description: "Or when it runs: five or six fields of cron as Debian reads them, or a name such as `@daily`.",
    }),
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, "Unknown time zone")
      .optional()
      .meta({ description: "Of `cron`; UTC where absent." }),
    grace: seconds(0).default(300).meta({ description: "Seconds that a success may be late." }),
    startGrace: seconds(0).optional().meta({ description: "Seconds within which a start must come." }),
    maxRuntime: seconds(1).optional().meta({ description: "Seconds that a run may take." }),
    minRuntime: seconds(1).optional().meta({ description: "Seconds that a run takes at least." }),
    slug: z
      .string()
      .regex(/^[a-z0-9_-]{1,100}$/, "Use at most 100 lowercase letters, digits, hyphens and underscores")
      .optional()
      .meta({ description: "Its name in addresses with the ping key." }),
    pingToken: z
      .string()
      .regex(/^[\w-]{1,100}$/, "Use at most 100 letters, digits, hyphens and underscores at the end of the address")
      .optional()
      .meta({
        description:
          "Read when it is made, and not shown: the end of an address that its job calls already, a UUID (`/ping/{uuid}`) or a token (`/api/push/{token}`). The first success is then due a period later.",
      }),
    keepOutput: z.boolean().default(true).meta({ description: "Whether what the job sends is kept." }),
  },
  faults: ({ every, cron, timeZone, minRuntime, maxRuntime }) => {
    const faults: FieldFault[] = [];
    if ((every === undefined) === (cron === undefined)) {
      faults.push({ path: cron === undefined ? "every" : "cron", message: "Provide either every or cron" });
    }
    if (timeZone !== undefined && cron === undefined) {
      faults.push({ path: "timeZone", message: "A time zone requires cron" });
    }
    if (minRuntime !== undefined && maxRuntime !== undefined && minRuntime >= maxRuntime) {
      faults.push({ path: "minRuntime", message: "The minimum runtime must be shorter than the maximum" });
    }
    return faults;
  },
  target: ({ every, cron, timeZone = "UTC" }) => (cron === undefined ? `every ${every} min` : `${cron} ${timeZone}`),
  secrets: ({ pingToken }) => (pingToken === undefined ? [] : [{ path: ["pingToken"], name: "pingToken" }]),
});
