import * as z from "zod";
import { id, instant, rowId, success } from "../envelope.ts";
import { alertKinds } from "../incidents/alerts.ts";
import { targetShape } from "../monitors/targets.ts";
import {
  agentSettings,
  globalAgentSettings,
  globalMonitorSettings,
  monitorSettings,
} from "../notifications/settings.ts";
import { maxPolicies, policyInput } from "./policies.ts";

export const maxRehearsalDays = 30;
/** Maximum for each list in the answer. */
export const maxEntries = 300;

const targetId = z.string().regex(/^[1-9]\d{0,9}$/, "Enter the id of a monitor or an agent");

/** Fields that are absent are as stored. */
export const rehearsalInput = z.strictObject({
  from: instant,
  to: instant.meta({ description: "At most 30 days after `from`, and not in the future." }),
  settings: z
    .strictObject({
      globalMonitor: globalMonitorSettings.optional(),
      globalAgent: globalAgentSettings.optional(),
      monitors: z.record(targetId, monitorSettings).optional().meta({ description: "Overrides by id." }),
      agents: z.record(targetId, agentSettings).optional().meta({ description: "Overrides by id." }),
    })
    .optional(),
  policies: z
    .array(policyInput.extend({ id: rowId }))
    .max(maxPolicies)
    .optional()
    .meta({
      description:
        "Escalation policies that replace those with the same id. `settings` can select one with a new id by `policyId`.",
    }),
});
export type RehearsalInput = z.output<typeof rehearsalInput>;

export const notified = z.object({
  at: instant,
  whom: z.object({
    kind: z.enum(["channel", "person"]),
    id: id.optional().meta({ description: "Channel, also for a person's contact." }),
    userId: id.optional(),
    name: z.string(),
  }),
  step: z.string().meta({
    description:
      "`opened`, `closed`, `flapping:<time>`, `steady:<time>`, `reminder:<number>` or `step:<repeat>.<step>` of a policy, both from 0.",
  }),
  reason: z.enum(alertKinds),
  incidentId: z.string(),
  target: targetShape,
});
export type Notified = z.infer<typeof notified>;

const entries = z.array(notified).max(maxEntries).meta({ description: "The first 300." });
export const rehearsalAnswer = success({
  wouldNotify: entries,
  didNotify: entries,
  difference: z.object({ added: entries, removed: entries }).meta({
    description: "Times that differ by less than five minutes count as the same.",
  }),
  totals: z.object({ wouldNotify: z.int(), didNotify: z.int(), added: z.int(), removed: z.int() }),
});
export type RehearsalResult = Omit<z.infer<typeof rehearsalAnswer>, "success" | "message">;
