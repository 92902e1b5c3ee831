import { type FactsInit, incidentStore } from "@sonde/domain/incidents/store";
import { machineHosts } from "@sonde/domain/incidents/targets";
import { isPassive, kindOf } from "@sonde/proto/http/monitors/kinds";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { shownCheck } from "../monitors/stored-check.ts";

/** The parts of a monitor that its incidents' facts need, without the fields of its check that may be large. */
export type DescribedMonitor = Pick<
  StoredMonitor,
  "target" | "tags" | "locations" | "note" | "dependsOn" | "intervalMs" | "config"
>;

/** What its newest check measured. */
export type MeasuredFigures = { responseTimeMs?: number; statusCode?: number };

/** The facts about a monitor that may be published with its incident: nothing of its headers, body or secrets. */
export function factsOf(monitor: DescribedMonitor, { responseTimeMs, statusCode }: MeasuredFigures = {}): FactsInit {
  const check = shownCheck(monitor.config);
  const hosts = kindOf(check.type).hosts(check);
  // A heartbeat has no address that is checked, from nowhere and in no time.
  const isChecked = !isPassive(check.type);
  return {
    target: isChecked ? withoutSecrets(monitor.target) : "",
    tags: monitor.tags,
    locations: isChecked ? monitor.locations : [],
    note: monitor.note,
    dependsOn: monitor.dependsOn,
    hosts: machineHosts(hosts.map(({ value }) => value)),
    intervalMs: monitor.intervalMs,
    responseTimeMs: isChecked ? responseTimeMs : undefined,
    statusCode,
    expectedStatus: check.type === "http" ? String(check.expectedStatus) : "",
  };
}

/** Parameters of an address that are likely secret: those lists may show, but they leave for a chat room here. */
const secretParameter = /([?&][^=&#]*(?:key|token|secret|passw(?:or)?d|pwd|auth|jwt|sig|signature|code)=)[^&#]+/gi;

/** An address without the values of such parameters. */
export const withoutSecrets = (target: string): string => target.replace(secretParameter, "$1…");

/** The incidents of monitors. */
export const incidents = incidentStore({ type: "monitor", table: "monitors", idPrefix: "m", service: "monitors" });

/** What is open of a monitor that is down. */
export const down = { kind: "down" } as const;

/** What is open of a monitor that is up, but not from each of its locations. */
export const partial = { kind: "partial" } as const;

/** What is open of a monitor of which nothing is known any more. */
export const stale = { kind: "stale" } as const;
