import * as z from "zod";
import { id, instant, success } from "../envelope.ts";
import { textOf } from "../text.ts";

export const stepStates = ["done", "nobody", "next", "deferred", "stopped", "later"] as const;

/** An incident's progress through its policy. */
export const escalation = z.object({
  policy: z.object({ id, name: z.string() }),
  repeat: z.int().meta({ description: "Counts from 0; the steps are those of this repetition." }),
  steps: z.array(
    z.object({
      step: z.int().meta({ description: "Counts from 1." }),
      state: z.enum(stepStates).meta({
        description:
          "`nobody`: it reached nobody. `deferred`: maintenance, a silence, a snooze or a dependency defers the policy. `stopped`: acknowledged before it was due.",
      }),
      at: instant.optional().meta({ description: "When it was taken, or for `next`, when it is due." }),
      needs: z.int(),
      notified: z.array(z.string()).meta({ description: "Channels that were notified." }),
      waiting: z
        .array(z.object({ name: z.string(), until: instant.optional() }))
        .meta({ description: "Contacts that are notified later, unless somebody acknowledges." }),
    }),
  ),
  acknowledgedBy: z.array(z.string()),
  needs: z.int().meta({ description: "Acknowledgements by different people that stop the policy now." }),
});
export type EscalationProgress = z.infer<typeof escalation>;

export const escalateInput = z.strictObject({ note: textOf({ max: 2_000 }).optional() });
export const escalateAnswer = success({ escalation });

/**
 * Requests of Twilio about a call: it was answered, a key was pressed (or none in time), pressed at the second try, or
 * the call ended.
 */
export const callSteps = ["answer", "key", "last", "ended"] as const;
export type CallStep = (typeof callSteps)[number];

/** For requests that Twilio signed. */
export const maxCallBytes = 16 * 1024;
