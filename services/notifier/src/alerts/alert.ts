import type { AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { TargetType } from "@sonde/proto/http/monitors/targets";

/**
 * The facts of an alert at the time of its decision: column `facts` of `alerts`. Messages and templates are made of
 * this alone, so that they are the same whenever they are composed.
 */
export type AlertFacts = {
  kind: AlertKind;
  incidentId: string;
  incidentKind: IncidentKind;
  target: { type: TargetType; id: number; name: string };
  /** cpu, memory, disk:<mount point>. */
  metric?: string;
  /** Why it opened. */
  cause: string;
  openedAtMs: number;
  closedAtMs?: number;
  resolution?: IncidentResolution;
  /** How often it failed again meanwhile. */
  flaps: number;
  /** When this was decided. */
  atMs: number;
  /** Time zone of the times in messages: that of the quiet hours; UTC if there are none. */
  timeZone?: string;
  /** Counts reminders from 1; 0: none. */
  reminder: number;
  /** Alerts deferred because this incident is open: the targets that depend on it, and how many there are. */
  dependents: { names: readonly string[]; count: number };
  /** What lists show of a monitor: its address. */
  address: string;
  tags: readonly string[];
  locations: readonly string[];
  note: string;
  responseTimeMs?: number;
  statusCode?: number;
  expectedStatus: string;
  hostname: string;
  ipAddresses: readonly string[];
  os: string;
  /** Percent. */
  value?: number;
  threshold?: number;
};
