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

// Keys inside a setting that another version stored are ignored.
const readable = {
  ...shape,
  theme: z.object(shape.theme.shape),
  groups: z.array(z.object(shape.groups.element.shape)),
  names: z.array(z.object(shape.names.element.shape)),
  subscriptions: z.object(shape.subscriptions.shape),
};

/** A configuration as any version stored it: a missing or unreadable setting has its default. */
export function readStored(value: unknown, log: Pick<Log, "error">): StatusConfig {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const read = fields.flatMap((field) => {
    if (given[field] === undefined) return [];
    const { data, error } = (readable[field] as z.ZodType).safeParse(given[field]);
    if (error === undefined) return [[field, data]];
    log.error({ err: error, field }, "a stored setting of the page cannot be read; its default holds");
    return [];
  });
  return keepShown({ ...defaultStatusConfig, ...Object.fromEntries(read) });
}

/** A configuration after a change; absent settings stay. @throws AppError `invalid`, with the path */
export function merge(before: StatusConfig, input: StatusConfigInput, existing: ExistingTargets): StatusConfig {
  const merged = { ...before, ...input };
  // Groups that were not sent follow the page's targets; ones that were sent must match them.
  const fitting = input.groups === undefined ? keepShown(merged) : merged;
  const fault = configFault(fitting);
  if (fault !== null) throw invalid([{ ...fault, path: fault.path.join(".") }]);
  return keepExisting(fitting, existing);
}

export const changedSettings = (before: StatusConfig, after: StatusConfig): (keyof StatusConfig)[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

/** Every target that a configuration names. */
export const namedBy = (config: StatusConfig): TargetRef[] => [...shownTargets(config), ...config.names];

/** A configuration without missing targets. */
export const keepExisting = (config: StatusConfig, existing: ExistingTargets): StatusConfig =>
  keepShown({
    ...config,
    monitors: config.monitors.filter((id) => existing.has({ type: "monitor", id })),
    agents: config.agents.filter((id) => existing.has({ type: "agent", id })),
    names: config.names.filter((target) => existing.has(target)),
  });

/** Without groups' entries that the page does not show, or that an earlier group has. */
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
