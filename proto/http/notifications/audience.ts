import * as z from "zod";
import { id, success } from "../envelope.ts";
import { targetFilter } from "../monitors/targets.ts";
import { allChannelTypeNames } from "./channel-types.ts";

export const audienceQuery = z.strictObject({ target: targetFilter });
export const audienceAnswer = success({
  audience: z.object({
    from: z.enum(["global", "rule", "override"]).meta({
      description: "Which channels apply: those for all targets of the type, of a rule, or of the target's override.",
    }),
    rule: z
      .object({ index: z.int(), tags: z.array(z.string()) })
      .optional()
      .meta({ description: "The rule that matches; `index` counts from 0." }),
    enabled: z.boolean().meta({ description: "False if notifications are disabled for the target." }),
    channels: z.array(z.object({ id, name: z.string(), type: z.enum(allChannelTypeNames), enabled: z.boolean() })),
    nobody: z.boolean().meta({ description: "True if no alert of the target would be sent." }),
  }),
});
export const reachAnswer = success({
  reach: z.object({
    monitors: z
      .boolean()
      .meta({ description: "The settings for all monitors are enabled and have an enabled channel, also in a rule." }),
    agents: z.boolean().meta({ description: "The same for all agents." }),
    channels: z.int().meta({ description: "Number of channels." }),
    tested: z.int().meta({ description: "Channels that delivered a message or a test." }),
  }),
});
