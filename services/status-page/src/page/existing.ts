import { AppError } from "@sonde/kit/errors";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import type { StatusConfig, StatusConfigInput } from "@sonde/proto/http/status/config";
import type { TargetType, TargetRef } from "@sonde/proto/http/monitors/targets";
import { keyOf, shownTargets } from "./shown.ts";
import { askAgents, askMonitors, type TargetSources } from "./sources.ts";
import { keepShown } from "./stored-config.ts";

/** The existing ones of the requested targets. */
export type ExistingTargets = { has(target: TargetRef): boolean };

/** @throws AppError `unavailable` */
export async function askExisting(
  sources: TargetSources,
  targets: readonly TargetRef[],
  timeoutMs?: number,
): Promise<ExistingTargets> {
  const idsOf = (wanted: TargetType) => [...new Set(targets.flatMap(({ type, id }) => (type === wanted ? [id] : [])))];
  const [monitors, agents] = await Promise.all([
    askMonitors(sources, idsOf("monitor"), timeoutMs),
    askAgents(sources, idsOf("agent"), timeoutMs),
  ]);
  return { has: ({ type, id }) => (type === "monitor" ? monitors : agents).has(id) };
}

/** A configuration without missing targets. */
export function keepExisting(config: StatusConfig, existing: ExistingTargets): StatusConfig {
  return keepShown({
    ...config,
    monitors: config.monitors.filter((id) => existing.has({ type: "monitor", id })),
    agents: config.agents.filter((id) => existing.has({ type: "agent", id })),
    names: config.names.filter((target) => existing.has(target)),
  });
}

/** Every target that a configuration names. */
export const namedBy = (config: StatusConfig): TargetRef[] => [...shownTargets(config), ...config.names];

/**
 * Rejects newly named targets that do not exist. Those stored before may have been deleted since: they are left out of
 * what is saved, without an error.
 * @throws AppError `impossible`, with the path of each
 */
export function requireExisting(input: StatusConfigInput, before: StatusConfig, existing: ExistingTargets): void {
  const known = new Set(namedBy(before).map(keyOf));
  const isFault = (target: TargetRef) => !existing.has(target) && !known.has(keyOf(target));
  const details = [
    ...(input.monitors ?? []).map((id, at) => ({ type: "monitor" as const, id, path: `monitors.${at}` })),
    ...(input.agents ?? []).map((id, at) => ({ type: "agent" as const, id, path: `agents.${at}` })),
    ...(input.names ?? []).map(({ type, id }, at) => ({ type, id, path: `names.${at}.id` })),
  ].flatMap((target) => (isFault(target) ? [missingFault(target)] : []));
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

/** The fault of a field that names a missing target; `path`: `monitors.0`. */
export const missingFault = ({ type, id, path }: TargetRef & { path: string }): FieldFault => ({
  path,
  message: type === "monitor" ? "There is no monitor with ID {id}" : "There is no agent with ID {id}",
  params: { id },
});
