import * as z from "zod";
import { id } from "../envelope.ts";

export const targetTypes = ["monitor", "agent"] as const;
export type TargetType = (typeof targetTypes)[number];

export const targetShape = z.object({ type: z.enum(targetTypes), id: z.int(), name: z.string() });

/** A target in a filter: `monitor:12` or `agent:3`. */
export const targetFilter = z
  .string()
  .regex(/^(monitor|agent):\d{1,10}$/)
  .meta({ description: "A monitor or agent: `monitor:12`, `agent:3`." });

/** Parses a target filter. */
export function readTarget(filter: string): { type: TargetType; id: number } {
  const [type, id] = filter.split(":");
  return { type: type === "agent" ? "agent" : "monitor", id: Number(id) };
}

const maxParents = 10;

/**
 * Dependencies of a monitor or agent. While one has an incident, alerts of this target are deferred. They are unique;
 * the server checks that they exist and form no cycle.
 */
export const dependsOn = z
  .array(z.strictObject({ type: z.enum(targetTypes), id }))
  .max(maxParents)
  .overwrite((targets) => [...new Map(targets.map((target) => [`${target.type}:${target.id}`, target])).values()])
  .meta({
    description:
      "Monitors and agents it depends on. While one of them has an incident, alerts for its own incidents are deferred. All must exist, without cycles.",
  });
export type TargetRef = z.infer<typeof dependsOn>[number];
