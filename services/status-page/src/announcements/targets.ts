import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { Context } from "../context.ts";

type Sources = Pick<Context["sources"], "monitors" | "agents" | "incidents">;
export type Named = { monitors?: readonly number[]; agents?: readonly number[]; incidentId?: string | null };

/** The lists of monitors and agents answer so many at once. */
const atOnce = 200;

/**
 * Looks at what an announcement names: each monitor, agent and incident exists. What it named before may be gone meanwhile
 * and stays; nobody is asked about it.
 * @param before what it named so far
 * @throws AppError `impossible` with the path of each that does not exist (`monitors.0`); `unavailable`
 */
export async function refuseUnknown(sources: Sources, named: Named, before: Named = {}): Promise<void> {
  const { monitors = [], agents = [], incidentId } = named;
  const [noMonitors, noAgents, noIncident] = await Promise.all([
    missingOf(monitors, before.monitors, (ids) => listMonitors(sources, ids)),
    missingOf(agents, before.agents, (ids) => listAgents(sources, ids)),
    incidentId == null || incidentId === before.incidentId ? false : isUnknown(sources, incidentId),
  ]);
  const faults: FieldFault[] = [
    ...noMonitors.map(({ at, id }) => ({
      path: `monitors.${at}`,
      message: "There is no monitor with ID {id}" as const,
      params: { id },
    })),
    ...noAgents.map(({ at, id }) => ({
      path: `agents.${at}`,
      message: "There is no agent with ID {id}" as const,
      params: { id },
    })),
    ...(noIncident ? [{ path: "incidentId", message: "Incident does not exist" as const }] : []),
  ];
  if (faults.length > 0) throw new AppError("impossible", "The request is not valid", { details: faults });
}

async function missingOf(
  ids: readonly number[],
  before: readonly number[] = [],
  listed: (ids: number[]) => Promise<readonly number[]>,
): Promise<{ at: number; id: number }[]> {
  const asked = ids.filter((id) => !before.includes(id));
  const known = new Set(before);
  for (let from = 0; from < asked.length; from += atOnce) {
    for (const id of await listed(asked.slice(from, from + atOnce))) known.add(id);
  }
  return ids.map((id, at) => ({ at, id })).filter(({ id }) => !known.has(id));
}

async function listMonitors({ monitors }: Sources, ids: number[]): Promise<number[]> {
  const page = await monitors.listMonitors({ ids, pageSize: ids.length, compact: true });
  return [...page.monitors.map(({ id }) => id), ...page.restIds];
}

async function listAgents({ agents }: Sources, ids: number[]): Promise<number[]> {
  const page = await agents.listAgents({ ids, pageSize: ids.length });
  return [...page.agents.map(({ id }) => id), ...page.restIds];
}

async function isUnknown({ incidents }: Sources, id: string): Promise<boolean> {
  try {
    await incidents.getIncident({ id }, { scope: id.startsWith("a") ? "agents" : "monitors" });
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return true;
    throw error;
  }
}
