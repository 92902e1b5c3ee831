import { randomUUID } from "node:crypto";
import { systemClock } from "./clock.ts";
import type { Collector } from "./collector.ts";
import { elsewhereCollector } from "./elsewhere.ts";
import { linuxCollector } from "./linux.ts";
import { rootsBelow } from "./roots.ts";
import type { AgentEnvironment } from "../config.ts";

/** The collector of this system. */
export function collectorFor(settings: AgentEnvironment): Collector {
  const roots = rootsBelow(settings.hostRoot);
  const clock = systemClock(roots, randomUUID());
  if (process.platform !== "linux") return elsewhereCollector({ roots, clock });
  return linuxCollector({ roots, clock, includeNetworkMounts: settings.networkMounts, scope: settings.scope });
}
