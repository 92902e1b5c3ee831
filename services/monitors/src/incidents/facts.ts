import { type FactsInit, incidentStore } from "@sonde/domain/incidents/store";
import { machineHosts } from "@sonde/domain/incidents/targets";
import { isPassive, kindOf } from "@sonde/proto/http/monitors/kinds";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { shownCheck } from "../monitors/stored-check.ts";

export type DescribedMonitor = Pick<
  StoredMonitor,
  "target" | "tags" | "locations" | "note" | "dependsOn" | "intervalMs" | "config"
> & { alertedBy?: readonly string[] };

export type MeasuredFigures = { responseTimeMs?: number; statusCode?: number };

/** Facts about a monitor that are published with its incident. They contain no headers, bodies or secrets. */
export function factsOf(monitor: DescribedMonitor, { responseTimeMs, statusCode }: MeasuredFigures = {}): FactsInit {
  const check = shownCheck(monitor.config);
  const hosts = kindOf(check.type).hosts(check);
  // A heartbeat has no checked address, location or response time.
  const isChecked = !isPassive(check.type);
  return {
    target: isChecked ? withoutSecrets(monitor.target) : "",
    tags: monitor.tags,
    locations: isChecked ? monitor.locations : [],
    note: monitor.note,
    dependsOn: monitor.dependsOn,
    alertedBy: [...(monitor.alertedBy ?? [])],
    hosts: machineHosts(hosts.map(({ value }) => value)),
    intervalMs: monitor.intervalMs,
    responseTimeMs: isChecked ? responseTimeMs : undefined,
    statusCode,
    expectedStatus: check.type === "http" ? String(check.expectedStatus) : "",
  };
}

/** URL parameters that are probably secret. Lists may show them, but facts are sent to chat rooms. */
const secretParameter = /([?&][^=&#]*(?:key|token|secret|passw(?:or)?d|pwd|auth|jwt|sig|signature|code)=)[^&#]+/gi;

export const withoutSecrets = (target: string): string => target.replace(secretParameter, "$1…");

export const incidents = incidentStore({ type: "monitor", table: "monitors", idPrefix: "m", service: "monitors" });

export const down = { kind: "down" } as const;

/** The monitor is up, but down from some locations. */
export const partial = { kind: "partial" } as const;

/** The monitor is up, but slower than its limit. */
export const slow = { kind: "slow" } as const;

/** The monitor's state is unknown. */
export const stale = { kind: "stale" } as const;
