import type { NotifiedIncident } from "../incident.ts";

export const changeNames = ["opened", "closed", "acknowledged", "flapping", "steady"] as const;
export type ChangeName = (typeof changeNames)[number];

/** A change of an incident, as its event reported it. */
export type IncidentChange = {
  name: ChangeName;
  incident: NotifiedIncident;
  /** Whether the event had `incident.facts` too. */
  hasFacts: boolean;
  /** No alerts are sent: paused, edited, deleted. */
  quiet: boolean;
  /** When the event was decided, epoch ms: with the name it distinguishes a second flapping from the first. */
  atMs: number;
};

/** A known incident, updated by a newer event. */
export function updated(known: NotifiedIncident, { incident, hasFacts }: IncidentChange): NotifiedIncident {
  return {
    ...incident,
    facts: hasFacts ? incident.facts : known.facts,
    // An event from before the acknowledgement may arrive after it.
    acknowledgedAtMs: known.acknowledgedAtMs ?? incident.acknowledgedAtMs,
    reminders: known.reminders,
  };
}

/**
 * Cuts changes, in their order, into runs that can be decided together: one change each of different incidents, all of
 * the same name, so that none follows from another of its run but by dependencies.
 */
export function runsOf(changes: readonly IncidentChange[]): IncidentChange[][] {
  const runs: IncidentChange[][] = [];
  let seen = new Set<string>();
  for (const change of changes) {
    const run = runs.at(-1);
    if (run === undefined || run[0]?.name !== change.name || seen.has(change.incident.id)) {
      runs.push([change]);
      seen = new Set();
    } else run.push(change);
    seen.add(change.incident.id);
  }
  return runs;
}
