import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { Context } from "../context.ts";
import type { Targets } from "./window.ts";

/** What one answer of a list holds at most. */
const atOnce = 200;

/**
 * What is to be covered, once it was looked at: each exists. What was covered before and is gone meanwhile is left out, so
 * that a form may send back what it was given.
 * @throws AppError impossible (`monitors.0`) of what does not exist; unavailable where nobody can say
 */
export async function checkTargets(
  { sources }: Pick<Context, "sources">,
  { monitorIds, agentIds }: Targets,
  before: Targets,
): Promise<Targets> {
  const [monitors, agents] = await Promise.all([
    known(monitorIds, async (ids) => {
      const { monitors: found, restIds } = await sources.monitors.listMonitors({
        ids,
        pageSize: atOnce,
        compact: true,
      });
      return [...found.map(({ id }) => id), ...restIds];
    }),
    known(agentIds, async (ids) => {
      const { agents: found, restIds } = await sources.agents.listAgents({ ids, pageSize: atOnce });
      return [...found.map(({ id }) => id), ...restIds];
    }),
  ]);
  const faults: FieldFault[] = [
    ...missing("monitors", monitorIds, monitors, before.monitorIds).map(({ id, path }) => ({
      path,
      message: "There is no monitor with ID {id}" as const,
      params: { id },
    })),
    ...missing("agents", agentIds, agents, before.agentIds).map(({ id, path }) => ({
      path,
      message: "There is no agent with ID {id}" as const,
      params: { id },
    })),
  ];
  if (faults.length > 0) throw new AppError("impossible", "The request is not valid", { details: faults });
  return { monitorIds: monitorIds.filter((id) => monitors.has(id)), agentIds: agentIds.filter((id) => agents.has(id)) };
}

async function known(ids: readonly number[], ask: (ids: number[]) => Promise<number[]>): Promise<Set<number>> {
  const found = new Set<number>();
  for (let from = 0; from < ids.length; from += atOnce) {
    for (const id of await ask(ids.slice(from, from + atOnce))) found.add(id);
  }
  return found;
}

const missing = (name: string, ids: readonly number[], there: ReadonlySet<number>, before: readonly number[]) =>
  ids.flatMap((id, index) => (there.has(id) || before.includes(id) ? [] : [{ id, path: `${name}.${index}` }]));
