import * as z from "zod";
import { endFields, hasOneEnd, noOneEnd } from "../ends.ts";
import { instant, rowId, success } from "../envelope.ts";
import { targetTypes } from "../monitors/targets.ts";
import { textOf } from "../text.ts";

export const maxSilencedMinutes = 10_080;

const target = z.discriminatedUnion("type", [
  z.strictObject({ type: z.enum(targetTypes), id: rowId }),
  z
    .strictObject({ type: z.literal("tag"), name: z.string().min(1).max(40) })
    .meta({ description: "A tag: covers the monitors and agents that have it when the silence starts." }),
]);

export const silenceInput = z
  .strictObject({
    target,
    ...endFields(maxSilencedMinutes),
    note: textOf({ max: 500 }).optional().meta({ description: "Why." }),
  })
  .refine(hasOneEnd, noOneEnd);

export const silencePatch = z.strictObject(endFields(maxSilencedMinutes)).refine(hasOneEnd, noOneEnd);

export const silence = z.object({
  id: z.int(),
  target: z.object({
    type: z.enum([...targetTypes, "tag"]),
    id: z.int().optional(),
    name: z.string().meta({ description: "Name when the silence started." }),
  }),
  until: instant,
  note: z.string().optional(),
  createdBy: z.string(),
  createdAt: instant,
});
export type TargetSilence = z.infer<typeof silence>;

export const silenceAnswer = success({ silence });
export const silencesAnswer = success({ silences: z.array(silence), total: z.int() });
