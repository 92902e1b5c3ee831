import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { PublicGroup } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { keyOf, shownTargets } from "./shown.ts";

/**
 * The page's groups: the named ones in their order, then the monitors and the agents that are in none. Targets that
 * `isThere` denies are left out, and so are groups without any.
 */
export function publicGroups(config: StatusConfig, isThere: (target: TargetRef) => boolean): PublicGroup[] {
  const named = config.groups.map(({ name, monitors, agents }) => ({ name, targets: refs(monitors, agents) }));
  const taken = new Set(named.flatMap(({ targets }) => targets.map(keyOf)));
  const others = shownTargets(config).filter((target) => !taken.has(keyOf(target)));
  const groups = [
    ...named,
    { name: null, targets: others.filter(({ type }) => type === "monitor") },
    { name: null, targets: others.filter(({ type }) => type === "agent") },
  ];
  return groups
    .map(({ name, targets }) => ({ name, targets: targets.filter(isThere) }))
    .filter(({ targets }) => targets.length > 0);
}

const refs = (monitors: readonly number[], agents: readonly number[]): TargetRef[] => [
  ...monitors.map((id) => ({ type: "monitor" as const, id })),
  ...agents.map((id) => ({ type: "agent" as const, id })),
];
