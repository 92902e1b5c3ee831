import type { AttentionMonitor } from "@sonde/proto/http/dashboard";
import type { Incident, IncidentKind } from "@sonde/proto/http/incidents/incidents";
import { groupSimilar, isOutage } from "../../entities/incidents/alike.ts";
import type { Dashboard } from "./live.ts";

/** A problem: an open incident, an unhealthy monitor, both together, or one outage of many targets. */
export type AttentionRow = {
  key: string;
  kind: IncidentKind | "flapping";
  incident?: Incident;
  monitor?: AttentionMonitor | undefined;
  /** All incidents of an outage. `incident` is the newest. */
  alike?: readonly Incident[];
};

const severities: Record<AttentionRow["kind"], number> = {
  down: 0,
  offline: 0,
  stale: 1,
  threshold: 2,
  partial: 2,
  slow: 2,
  external: 2,
  slo: 2,
  flapping: 3,
};
const acknowledged = 9;

/**
 * Returns problems, most severe first; within a severity in the server's order, newest first. Acknowledged ones come
 * last, and incidents with one cause are grouped. An unhealthy monitor without a known incident gets its own row.
 */
export function attentionRows({ open, attention }: Pick<Dashboard, "open" | "attention">): AttentionRow[] {
  const monitors = new Map(attention?.map((monitor) => [monitor.id, monitor]));
  const incidents = open ?? [];
  const named = new Set(incidents.flatMap(({ target }) => (target.type === "monitor" ? [target.id] : [])));
  const rows: AttentionRow[] = groupSimilar(incidents).map((row) => {
    if (!isOutage(row)) {
      const { id, target } = row;
      return {
        key: id,
        kind: kindOf(row),
        incident: row,
        monitor: target.type === "monitor" ? monitors.get(target.id) : undefined,
      };
    }
    const newest = row.incidents[0]!;
    return { key: row.key, kind: kindOf(newest), incident: newest, alike: row.incidents };
  });
  for (const monitor of monitors.values()) {
    const kind = badKindOf(monitor);
    if (kind !== null && !named.has(monitor.id)) rows.push({ key: `monitor ${monitor.id}`, monitor, kind });
  }
  return rows.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** A critical alert of another system means that its monitor is down. */
const kindOf = ({ kind, severity }: Incident) => (severity === "critical" ? "down" : kind);

const rankOf = ({ incident, kind }: AttentionRow) =>
  incident?.acknowledgedAt === undefined ? severities[kind] : acknowledged;

function badKindOf({ status, stale, flapping, slow }: AttentionMonitor): AttentionRow["kind"] | null {
  if (stale) return "stale";
  if (status === "down") return "down";
  return flapping ? "flapping" : slow ? "slow" : null;
}
