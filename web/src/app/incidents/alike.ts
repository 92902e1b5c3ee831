import type { Incident } from "@sonde/proto/http/incidents/incidents";

/** So many of one cause are one outage. */
const fewest = 5;

/** Open incidents of one cause that no one works on yet, in the order of their list. */
export type Outage = { key: string; incidents: readonly Incident[] };

const isWaiting = ({ closedAt, acknowledgedAt }: Incident) => closedAt === undefined && acknowledgedAt === undefined;
const causeOf = ({ kind, target, cause }: Incident) => `${kind} ${target.type} ${cause}`;

/** The same list, with those of one cause together where its first one is. */
export function groupAlike(incidents: readonly Incident[]): (Incident | Outage)[] {
  const byCause = Map.groupBy(incidents.filter(isWaiting), causeOf);
  return incidents.flatMap((incident): (Incident | Outage)[] => {
    const alike = isWaiting(incident) ? (byCause.get(causeOf(incident)) ?? []) : [];
    if (alike.length < fewest) return [incident];
    return alike[0] === incident ? [{ key: `outage ${causeOf(incident)}`, incidents: alike }] : [];
  });
}

export const isOutage = (row: Incident | Outage): row is Outage => "incidents" in row;
