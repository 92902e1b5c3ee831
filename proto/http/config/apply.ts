import * as z from "zod";
import { instant, success } from "../envelope.ts";
import { configDocument, sourceName } from "./document.ts";

/** As a body; as many objects, and as many that may be removed. */
export const maxApplyBytes = 8 * 1024 * 1024;
export const maxConfigObjects = 10_000;

export const applyInput = z.strictObject({
  source: sourceName.meta({ description: "Whose document it is. What it gave and no longer holds is removed." }),
  revision: z.string().max(200).optional().meta({ description: "Such as a commit." }),
  config: configDocument,
  allowDelete: z
    .int()
    .min(0)
    .max(maxConfigObjects)
    .default(0)
    .meta({ description: "How many monitors, channels, templates and maintenances it may remove." }),
  places: z
    .record(z.string().max(200), z.string().max(300))
    .optional()
    .meta({ description: "Where each object lies, for messages: `monitors.shop` → `sonde.yaml:12`." }),
});
export const applyQuery = z.strictObject({
  dryRun: z.enum(["true", "false"]).optional().meta({ description: "`true` only answers the plan; nothing is kept." }),
});

const path = z.string().meta({ examples: ["monitors.shop"] });
/** Cut where it is long. */
const shown = z.unknown().optional();
const configConflict = z.object({
  path,
  message: z.string(),
  place: z.string().optional(),
  with: z
    .object({ source: z.string(), place: z.string().optional() })
    .optional()
    .meta({ description: "The other source; absent where no source owns what is there." }),
});
export const configPlan = z.object({
  create: z.array(path),
  update: z
    .array(z.object({ path: z.string(), from: shown, to: shown }))
    .meta({ description: "By field, such as `monitors.shop.interval`; of a secret that changes both are masked." }),
  remove: z.array(path),
  same: z.array(path),
  conflicts: z.array(configConflict),
});
export type ConfigPlan = z.infer<typeof configPlan>;
export const applyAnswer = success({
  plan: configPlan,
  generation: z.int().meta({ description: "Of the source: rises with each document that changes something." }),
});

export const configSource = z.object({
  name: z.string(),
  generation: z.int(),
  revision: z.string().optional(),
  appliedAt: instant,
  appliedBy: z.string(),
  outcome: z.string().meta({ description: "`applied`, or why the last one did not end." }),
  problem: z.string().optional().meta({ description: "Why the files of a mounted folder were not applied." }),
  objects: z.record(z.string(), z.int()).meta({ description: "How many of each kind it owns." }),
  drift: z.array(path).meta({ description: "What people took over since its last document: `monitors.shop`." }),
});
export type ConfigSource = z.infer<typeof configSource>;
export const sourceProblem = z.object({ source: z.string(), problem: z.string() });
export const sourcesAnswer = success({ sources: z.array(configSource) });
export const releaseQuery = z.strictObject({
  keep: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "`true` leaves everything to people; else it is removed." }),
});
