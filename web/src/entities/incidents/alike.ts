import type { Incident } from "@sonde/proto/http/incidents/incidents";

/** So many of one cause are one outage. */
const fewest = 5;

/** Open incidents that belong together, in the order of their list: all are acknowledged, or none is. */
export type Outage = { key: string; incidents: readonly Incident[] };

const causeOf = ({ kind, cause }: Incident) => `${kind} ${cause}`;

/**
 * The same list, with those that belong together where the first of them is.
 * @param groupOf what an incident belongs to; undefined: nothing. By kind and cause without it
 * @param least so many make a group
 */
export function groupAlike(
  incidents: readonly Incident[],
  groupOf: (incident: Incident) => string | undefined = causeOf,
  min = fewest,
): (Incident | Outage)[] {
  const keyOf = (incident: Incident) => {
    const group = incident.closedAt === undefined ? groupOf(incident) : undefined;
    return group && `${incident.target.type} ${isWaiting(incident)} ${group}`;
  };
  const groups = Map.groupBy(incidents, keyOf);
  return incidents.flatMap((incident): (Incident | Outage)[] => {
    const key = keyOf(incident);
    const alike = (key && groups.get(key)) || [];
    if (key === undefined || alike.length < min) return [incident];
    return alike[0] === incident ? [{ key: `outage ${key}`, incidents: alike }] : [];
  });
}

export const isOutage = (row: Incident | Outage): row is Outage => "incidents" in row;

export const isWaiting = ({ closedAt, acknowledgedAt }: Incident) =>
  closedAt === undefined && acknowledgedAt === undefined;
