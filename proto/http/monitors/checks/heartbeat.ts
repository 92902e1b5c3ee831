import * as z from "zod";
import { wholeNumber } from "../../numbers.ts";
import type { FieldFault } from "../../reasons/issues.ts";
import { isTimeZone } from "../../notifications/settings.ts";
import { heartbeatFacts } from "../pings.ts";
import { kind } from "./kind.ts";

const maxSeconds = 604_800;
const seconds = (min: number) => wholeNumber(min, maxSeconds, "Enter a whole number of seconds from {min} to {max}");

const factRule = (what: string) =>
  z
    .strictObject({
      min: z.number().min(0).max(1e15).optional(),
      max: z.number().min(0).max(1e15).optional(),
      within: z
        .number()
        .min(1)
        .max(1000)
        .optional()
        .meta({ description: "Percent by which it may differ from the median of the last 20." }),
    })
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
      path: ["min"],
      message: "The minimum must not be above the maximum",
    })
    .optional()
    .meta({ description: `Limits for the ${what} that a success reports; outside, the run failed.` });

/** A job that calls an address after each run; a missing call is a failure. No probe runs. */
export const heartbeat = kind({
  type: "heartbeat",
  passive: true,
  facts: heartbeatFacts,
  fields: {
    every: z.number().min(1).max(525_600).optional().meta({ description: "Expected minutes between two successes." }),
    cron: z.string().max(200).optional().meta({
      description:
        "Alternative to `every`: a cron expression with five or six fields, as Debian's cron reads it, or a name such as `@daily`.",
    }),
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, "Unknown time zone")
      .optional()
      .meta({ description: "Time zone of `cron`; UTC if absent." }),
    grace: seconds(0).default(300).meta({ description: "Seconds a success may be late." }),
    startGrace: seconds(0).optional().meta({ description: "Seconds within which the start ping must arrive." }),
    maxRuntime: seconds(1).optional().meta({ description: "Maximum seconds a run may take." }),
    minRuntime: seconds(1).optional().meta({ description: "Minimum seconds a run must take." }),
    rows: factRule("rows"),
    bytes: factRule("bytes"),
    files: factRule("files"),
    ms: factRule("milliseconds"),
    slug: z
      .string()
      .regex(/^[a-z0-9_-]{1,100}$/, "Use at most 100 lowercase letters, digits, hyphens and underscores")
      .optional()
      .meta({ description: "Name in addresses that contain the ping key." }),
    pingToken: z
      .string()
      .regex(/^[\w-]{1,100}$/, "Use at most 100 letters, digits, hyphens and underscores at the end of the address")
      .optional()
      .meta({
        description:
          "Write-only, for new heartbeats: the end of an address that the job already calls, a UUID (`/ping/{uuid}`) or a token (`/api/push/{token}`). The first success is due one period later.",
      }),
    keepOutput: z.boolean().default(true).meta({ description: "Stores the output that the job sends." }),
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
