import { invalid } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import {
  configFault,
  defaultStatusConfig,
  type StatusConfig,
  type StatusConfigInput,
  statusConfig,
} from "@sonde/proto/http/status/config";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type ExistingTargets, shownTargets } from "../collect/targets.ts";

const { shape } = statusConfig;
const fields = Object.keys(shape) as (keyof StatusConfig)[];

// Ignores unknown keys within a setting, which another version stored.
const readable = {
  ...shape,
  theme: z.object(shape.theme.shape),
  groups: z.array(z.object(shape.groups.element.shape)),
  names: z.array(z.object(shape.names.element.shape)),
  subscriptions: z.object(shape.subscriptions.shape),
};

/** Reads a configuration of any version, with defaults for missing or unreadable settings. */
export function readStored(value: unknown, log: Pick<Log, "error">): StatusConfig {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const read = fields.flatMap((field) => {
    if (given[field] === undefined) return [];
    const { data, error } = (readable[field] as z.ZodType).safeParse(given[field]);
    if (error === undefined) return [[field, data]];
    log.error({ err: error, field }, "stored page setting is invalid; using its default");
    return [];
  });
  return keepShown({ ...defaultStatusConfig, ...Object.fromEntries(read) });
}

/** Merges a change into a configuration. @throws AppError `invalid`, with the path */
export function merge(before: StatusConfig, input: StatusConfigInput, existing: ExistingTargets): StatusConfig {
  const merged = { ...before, ...input };
  // Groups in the change must match the page's targets; existing groups follow them.
  const fitting = input.groups === undefined ? keepShown(merged) : merged;
  const fault = configFault(fitting);
  if (fault !== null) throw invalid([{ ...fault, path: fault.path.join(".") }]);
  return keepExisting(fitting, existing);
}

export const changedSettings = (before: StatusConfig, after: StatusConfig): (keyof StatusConfig)[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

export const namedBy = (config: StatusConfig): TargetRef[] => [...shownTargets(config), ...config.names];

export const keepExisting = (config: StatusConfig, existing: ExistingTargets): StatusConfig =>
  keepShown({
    ...config,
    monitors: config.monitors.filter((id) => existing.has({ type: "monitor", id })),
    agents: config.agents.filter((id) => existing.has({ type: "agent", id })),
    names: config.names.filter((target) => existing.has(target)),
  });

/** Removes targets from groups that the page does not show, or that an earlier group has. */
function keepShown(config: StatusConfig): StatusConfig {
  const taken = new Set<string>();
  const first = (kind: "monitors" | "agents") => (id: number) => {
    const key = `${kind}:${id}`;
    if (taken.has(key) || !config[kind].includes(id)) return false;
    taken.add(key);
    return true;
  };
  const groups = config.groups.map((group) => ({
    ...group,
    monitors: group.monitors.filter(first("monitors")),
    agents: group.agents.filter(first("agents")),
  }));
  return { ...config, groups };
}
