import type { Context } from "../context.ts";
import { readFields } from "../monitors/fields.ts";
import type { Definition } from "../monitors/monitor.ts";
import { patternFaults } from "../monitors/patterns.ts";
import { applyInput } from "../monitors/rules.ts";
import { readLine } from "./lines.ts";

/**
 * The monitor that a line of an import describes, held against all rules. Locations that nobody is at are left out, for
 * they are those of another installation.
 * @throws AppError as createMonitor does
 */
export async function readDefinition(
  ctx: Pick<Context, "patterns" | "guard" | "secrets" | "minIntervalMs" | "locations">,
  line: Buffer,
): Promise<{ definition: Definition; paused: boolean; lostLocations: string[] }> {
  const { locations: named = [], ...patch } = readFields(readLine(line));
  const living = ctx.locations.living();
  const locations = named.filter((name) => living.includes(name));
  const found = await patternFaults(ctx.patterns, patch.check, null);
  const definition = applyInput(ctx, { ...patch, locations }, { before: null, found });
  return { definition, paused: patch.paused === true, lostLocations: named.filter((name) => !living.includes(name)) };
}
