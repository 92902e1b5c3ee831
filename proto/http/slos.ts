import * as z from "zod";
import { managedBy } from "./config/managed.ts";
import { id, instant, listQuery, rowId, success } from "./envelope.ts";
import type { Message } from "./messages.ts";
import { timeZone } from "./notifications/settings.ts";
import { tag } from "./tags.ts";
import { nameOf } from "./text.ts";

export const maxSlos = 1_000;
export const maxSloTargets = 200;
export const sloWindows = ["month", "7d", "28d", "30d", "90d"] as const;
export type SloWindow = (typeof sloWindows)[number];

const target = z.strictObject({ type: z.literal("monitor"), id: rowId });

export const sloDefaults = { combine: "worst", timeZone: "UTC", burnAlerts: true } as const;

export const sloFields = {
  name: nameOf(100),
  targets: z
    .array(target)
    .min(1)
    .max(maxSloTargets)
    .optional()
    .meta({ description: "Monitors whose checks count. Either `targets` or `tag`." }),
  tag: tag.optional().meta({ description: "Counts all monitors that have this tag." }),
  combine: z.enum(["worst", "mean"]).default(sloDefaults.combine).meta({
    description: "With several targets: the budget of the worst one, or of all their slots together.",
  }),
  objective: z
    .number()
    .min(50)
    .max(99.999, "An objective of 100 leaves no budget: choose at most 99.999")
    .meta({ description: "Percent of slots that must be good." }),
  window: z.enum(sloWindows).meta({ description: "`month` is the calendar month in `timeZone`; the others end now." }),
  timeZone: timeZone.default(sloDefaults.timeZone),
  latency: z
    .strictObject({
      ms: z.int().min(1).max(300_000),
      percent: z.number().min(50).max(99.999),
    })
    .optional()
    .meta({ description: "Percent of successful checks that must take at most `ms`. Has a budget of its own." }),
  burnAlerts: z.boolean().default(sloDefaults.burnAlerts).meta({
    description: "Opens an incident of kind `slo` while the budget is spent too fast.",
  }),
  policyId: rowId.optional().meta({ description: "Escalation policy of its incidents. Absent: that of the settings." }),
};
export const hasSloScope = ({ targets, tag }: { targets?: unknown; tag?: unknown }) =>
  (targets === undefined) !== (tag === undefined);
/** zod takes the message out of the object that it is given. */
export const noSloScope = () => ({ message: "Choose either monitors or a tag" satisfies Message, path: ["targets"] });

export const sloInput = z.strictObject(sloFields).refine(hasSloScope, noSloScope());
export type SloInput = z.infer<typeof sloInput>;
/** `null` removes an optional field. */
export const sloPatch = z
  .strictObject({
    ...sloFields,
    targets: sloFields.targets.nullable(),
    tag: sloFields.tag.nullable(),
    combine: sloFields.combine.unwrap(),
    timeZone: sloFields.timeZone.unwrap(),
    latency: sloFields.latency.nullable(),
    burnAlerts: sloFields.burnAlerts.unwrap(),
    policyId: sloFields.policyId.nullable(),
  })
  .partial();
export type SloPatch = z.infer<typeof sloPatch>;

const budget = z.object({
  allowedMinutes: z.number(),
  spentMinutes: z.number(),
  leftMinutes: z.number().meta({ description: "Negative if more was spent than allowed." }),
  noDataMinutes: z.number().meta({ description: "Minutes without results, which count neither as good nor as bad." }),
  windowMinutes: z.number().optional().meta({
    description:
      "What the whole window allows. Present only early on, while fewer than 3 slots may fail; `exhaustedAt` then refers to it.",
  }),
  seenSlots: z.int(),
  badSlots: z.int(),
});
export const sloFigures = z.object({
  from: instant,
  until: instant,
  attained: z.number().nullable().meta({ description: "Percent of good slots; `null` without data." }),
  budget,
  burnRate: z.number().meta({ description: "Speed over the last hour: 1 spends exactly the budget in one window." }),
  exhaustedAt: instant
    .optional()
    .meta({ description: "When the budget is used up at this rate, or was; absent if not within the window." }),
  sentence: z.string().meta({ description: "The state in one sentence, in the language of the request." }),
  target: z.object({ id, name: z.string() }).optional().meta({ description: "The worst of several targets." }),
});
export const slo = z.object({
  id,
  name: z.string(),
  targets: z.array(z.object({ type: z.literal("monitor"), id, name: z.string() })).optional(),
  tag: z.string().optional(),
  combine: z.enum(["worst", "mean"]),
  objective: z.number(),
  window: z.enum(sloWindows),
  timeZone: z.string(),
  latency: z.object({ ms: z.int(), percent: z.number() }).optional(),
  burnAlerts: z.boolean(),
  policyId: id.optional(),
  ...sloFigures.partial().shape,
  latencyBudget: z.object({ ...sloFigures.pick({ attained: true, budget: true, burnRate: true }).shape }).optional(),
  incidentId: z.string().optional().meta({ description: "The open incident of its burn alert." }),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type Slo = z.infer<typeof slo>;

export const slosQuery = z.strictObject(listQuery(["name", "leftMinutes"]));
export const sloAnswer = success({ slo });
/** `unavailable`: the figures are missing because metrics could not be reached. */
export const slosAnswer = success({
  slos: z.array(slo),
  total: z.int(),
  unavailable: z.array(z.literal("metrics")).optional(),
});
