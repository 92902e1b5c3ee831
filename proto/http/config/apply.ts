import * as z from "zod";
import { instant, success } from "../envelope.ts";
import { configDocument, sourceName } from "./document.ts";

/** Limits: body size, number of objects, number of removals. */
export const maxApplyBytes = 8 * 1024 * 1024;
export const maxConfigObjects = 10_000;

export const applyInput = z.strictObject({
  source: sourceName.meta({
    description:
      "Name of the source. Objects that it applied earlier and that are missing from this document are removed.",
  }),
  revision: z.string().max(200).optional().meta({ description: "Revision of the document, for example a commit." }),
  config: configDocument,
  allowDelete: z
    .int()
    .min(0)
    .max(maxConfigObjects)
    .default(0)
    .meta({ description: "Maximum number of monitors, channels, templates and maintenance windows to remove." }),
  places: z
    .record(z.string().max(200), z.string().max(300))
    .optional()
    .meta({ description: "Location of each object, for messages: `monitors.shop` → `sonde.yaml:12`." }),
});
export const applyQuery = z.strictObject({
  dryRun: z.enum(["true", "false"]).optional().meta({ description: "`true` returns the plan without applying it." }),
});

const path = z.string().meta({ examples: ["monitors.shop"] });
/** Truncated if long. */
const shown = z.unknown().optional();
const configConflict = z.object({
  path,
  message: z.string(),
  place: z.string().optional(),
  with: z
    .object({ source: z.string(), place: z.string().optional() })
    .optional()
    .meta({ description: "The source that manages the existing object; absent if none does." }),
});
export const configPlan = z.object({
  create: z.array(path),
  update: z.array(z.object({ path: z.string(), from: shown, to: shown })).meta({
    description: "Changes by field, such as `monitors.shop.interval`. Both values of a changed secret are masked.",
  }),
  remove: z.array(path),
  same: z.array(path),
  conflicts: z.array(configConflict),
});
export type ConfigPlan = z.infer<typeof configPlan>;
export const applyAnswer = success({
  plan: configPlan,
  generation: z
    .int()
    .meta({ description: "Generation of the source; increases with each document that changes something." }),
});

export const configSource = z.object({
  name: z.string(),
  generation: z.int(),
  revision: z.string().optional(),
  appliedAt: instant,
  appliedBy: z.string(),
  outcome: z.string().meta({ description: "`applied`, or why the last document was not applied completely." }),
  problem: z.string().optional().meta({ description: "Why the files of a mounted folder could not be applied." }),
  objects: z.record(z.string(), z.int()).meta({ description: "Number of managed objects by kind." }),
  drift: z.array(path).meta({ description: "Objects released since the last document: `monitors.shop`." }),
});
export type ConfigSource = z.infer<typeof configSource>;
export const sourceProblem = z.object({ source: z.string(), problem: z.string() });
export const sourcesAnswer = success({ sources: z.array(configSource) });
export const releaseQuery = z.strictObject({
  keep: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "`true` keeps the objects and makes them editable; otherwise they are removed." }),
});
