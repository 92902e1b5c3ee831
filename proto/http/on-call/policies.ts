import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { id, listQuery, rowIds, success } from "../envelope.ts";
import { tags } from "../tags.ts";
import { nameOf } from "../text.ts";

export const maxPolicies = 100;
export const maxSteps = 10;

/** `user:4`, `channel:2`, `schedule:1` (who is on call), or `everyone:1` (all members of a schedule). */
const recipient = z
  .string()
  .regex(/^(?:user|channel|schedule|everyone):[1-9]\d{0,9}$/, "Enter a recipient such as schedule:1");
export const policyStep = z.strictObject({
  after: z
    .int()
    .min(0)
    .max(1_440)
    .meta({ description: "Minutes after the previous step, or after the opening for the first one." }),
  notify: z.array(recipient).min(1).max(20),
  needs: z
    .int()
    .min(1)
    .max(5)
    .default(1)
    .meta({ description: "Acknowledgements by different people that stop the policy at this step." }),
});
export const policyInput = z.strictObject({
  name: nameOf(100),
  steps: z.array(policyStep).min(1).max(maxSteps),
  repeat: z.int().min(0).max(9).default(0).meta({ description: "How often the steps are repeated." }),
  lowUrgency: z
    .strictObject({ monitors: rowIds(1_000).default([]), tags: tags.default([]) })
    .optional()
    .meta({ description: "Targets whose incidents wait for the end of a person's night." }),
});
export type PolicyInput = z.infer<typeof policyInput>;

export const policyPatch = z
  .strictObject({
    ...policyInput.shape,
    repeat: policyInput.shape.repeat.unwrap(),
    lowUrgency: policyInput.shape.lowUrgency.nullable(),
  })
  .partial();
export type PolicyPatch = z.infer<typeof policyPatch>;

const shownStep = z.object({ ...policyStep.shape, needs: z.int() });
export const escalationPolicy = z.object({
  id,
  name: z.string(),
  steps: z.array(shownStep),
  repeat: z.int(),
  lowUrgency: z.object({ monitors: z.array(id), tags: z.array(z.string()) }).optional(),
  managed: managedBy.optional(),
});
export type EscalationPolicy = z.infer<typeof escalationPolicy>;
const warnings = z
  .array(z.object({ step: z.int(), recipient: z.string(), message: z.string() }))
  .meta({ description: "Members without contacts. Steps count from 1." });
export const policiesQuery = z.strictObject(listQuery(["name"]));
export const policyAnswer = success({ policy: escalationPolicy, warnings });
export type PolicyAnswer = Omit<z.infer<typeof policyAnswer>, "success" | "message">;
export const policiesAnswer = success({ policies: z.array(escalationPolicy), total: z.int() });
