import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { id, instant, success } from "../envelope.ts";
import { targetShape } from "../monitors/targets.ts";

export const noiseDays = 30;
const maxMonitors = 20;
const maxAlternatives = 3;

/** A change of one field of a monitor. */
const change = z.discriminatedUnion("field", [
  z.object({ field: z.literal("retries"), value: z.int() }),
  z.object({ field: z.literal("recoverAfter"), value: z.int() }),
  z.object({ field: z.literal("dependsOn"), target: targetShape.meta({ description: "Added to the dependencies." }) }),
]);
export type NoiseChange = z.infer<typeof change>;

const alternative = z.object({
  change,
  alerts: z.int().meta({ description: "Upper bound of the alerts that would have been sent." }),
  laterMs: z.int().meta({ description: "Longest delay of the outages that would still have been reported." }),
  unreported: z.int().meta({ description: "Outages that would not have been reported; all shorter than 5 minutes." }),
});
export type NoiseAlternative = z.infer<typeof alternative>;

export const noisyMonitor = z.object({
  id,
  name: z.string(),
  from: instant.meta({
    description:
      "Start for this monitor. Later than that of the period if results are kept for less, or it has too many outages.",
  }),
  incidents: z.int(),
  alerts: z.int().meta({ description: "Delivered notifications about its outages." }),
  alertsToday: z.int().optional().meta({
    description: "Alerts that the current settings would have caused; absent if not fewer.",
  }),
  alternatives: z.array(alternative).max(maxAlternatives).optional().meta({
    description: "The best change of each field, best first. Absent if they could not be computed.",
  }),
  secondOpinions: z.array(z.string()).meta({
    description: "Locations that could confirm its failures. They never checked it, so their effect is unknown.",
  }),
  managed: managedBy.optional(),
});
export type NoisyMonitor = z.infer<typeof noisyMonitor>;

const night = { userId: id, nights: z.int(), notifications: z.int() };
export const noiseAnswer = success({
  from: instant,
  to: instant,
  monitors: z.array(noisyMonitor).max(maxMonitors).meta({ description: "Most alerts first." }),
  nights: z
    .array(z.object({ ...night, name: z.string().optional().meta({ description: "Absent if the user was deleted." }) }))
    .meta({
      description:
        "Nights, from 22:00 to 07:00 in the user's time zone, on which a contact of the user was notified; most first.",
    }),
  unavailable: z.array(z.literal("monitors")).optional().meta({
    description: "`monitors`: alternatives of some monitors are missing.",
  }),
});
/** The same without names of users. */
export const noise = noiseAnswer.omit({ success: true, message: true }).extend({ nights: z.array(z.object(night)) });
export type Noise = z.infer<typeof noise>;
