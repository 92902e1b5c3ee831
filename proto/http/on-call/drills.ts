import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { id, instant, listQuery, success } from "../envelope.ts";

/** Running at a time, and recurring. */
export const maxDrills = 50;
/** Runs and recipients that a list shows of each drill. */
export const maxRuns = 10;
export const drillSchedules = ["weekly", "monthly"] as const;
export const drillTargetKinds = ["user", "policy", "channel"] as const;

export const drillInput = z.strictObject({
  target: z
    .string()
    .regex(/^(?:user|policy|channel):[1-9]\d{0,9}$/, "Enter a target such as user:4")
    .meta({ examples: ["policy:2"] }),
  schedule: z.enum(drillSchedules).optional().meta({
    description: "The first drill starts now, the next ones at the same time (UTC). Absent: only now.",
  }),
});
export type DrillInput = z.infer<typeof drillInput>;

export const drillStates = ["pending", "delivered", "failed", "waiting", "skipped", "nobody"] as const;
const notified = z.object({
  name: z.string().meta({ description: "Channel or contact; empty for `nobody`." }),
  at: instant.meta({ description: "When it was sent; for `waiting`, when it is due." }),
  state: z.enum(drillStates).meta({
    description: "`waiting`: due later unless acknowledged. `nobody`: a step of the policy reached nobody.",
  }),
});
const run = z.object({
  id: z.string(),
  startedAt: instant,
  endedAt: instant.optional().meta({ description: "Absent while it is running." }),
  acknowledgedAt: instant.optional(),
  acknowledgedBy: z.array(z.string()),
  notified: z.array(notified),
});
export const drill = z.object({
  id,
  target: z.string(),
  targetName: z.string(),
  schedule: z.enum(drillSchedules).optional(),
  nextAt: instant.optional(),
  createdBy: z.string(),
  createdAt: instant,
  managed: managedBy.optional(),
  runs: z.array(run).meta({ description: `The newest first, at most ${maxRuns}.` }),
});
export type Drill = z.infer<typeof drill>;
export type DrillRun = z.infer<typeof run>;

const proof = z.object({ id, name: z.string(), lastProvenAt: instant.optional() });
export const proven = z
  .object({
    channels: z.array(proof),
    contacts: z.array(proof.extend({ userId: id })),
    policies: z.array(proof),
  })
  .meta({
    description:
      "When a drill last reached each of them, or somebody acknowledged an alert through a message of it. Those never proven come first.",
  });

export const drillsQuery = z.strictObject(listQuery(["createdAt", "nextAt"]));
export const drillsAnswer = success({ drills: z.array(drill), total: z.int(), proven });
export const drillAnswer = success({ drill });
