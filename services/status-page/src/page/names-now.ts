import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { Context } from "../context.ts";
import { type Memory, ownName } from "./memory.ts";
import { displayNames, type DisplayNames, shownTargets } from "./shown.ts";
import { askAgents, askMonitors } from "./sources.ts";

/** `Context.namesOf`: the known names, and those of targets that were not requested yet. */
export async function namesNow(
  { sources }: Pick<Context, "sources">,
  memory: Memory,
  config: StatusConfig,
): Promise<DisplayNames> {
  const unknown = shownTargets(config).filter(({ type, id }) => ownName(memory, type, id) === null);
  const idsOf = (wanted: TargetRef["type"]) => unknown.flatMap(({ type, id }) => (type === wanted ? [id] : []));
  const [monitors, agents] = await Promise.all([
    askMonitors(sources, idsOf("monitor")).catch(() => new Map<number, never>()),
    askAgents(sources, idsOf("agent")).catch(() => new Map<number, never>()),
  ]);
  return displayNames(
    config,
    (type, id) => ownName(memory, type, id) ?? (type === "monitor" ? monitors : agents).get(id)?.name ?? null,
  );
}
