import type { Incident } from "@sonde/proto/http/incidents/incidents";

/** Minimum number of incidents with the same cause that form an outage. */
const minOutage = 5;

/** Open incidents with the same cause, in list order. Either all of them are acknowledged or none is. */
export type Outage = { key: string; incidents: readonly Incident[] };

const causeOf = ({ kind, cause }: Incident) => `${kind} ${cause}`;

/**
 * Groups similar incidents at the position of the first.
 * @param groupOf group of an incident, or `undefined` for none; by default its kind and cause
 * @param min minimum size of a group
 */
export function groupSimilar(
  incidents: readonly Incident[],
  groupOf: (incident: Incident) => string | undefined = causeOf,
  min = minOutage,
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
