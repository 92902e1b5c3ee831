import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Context } from "../context.ts";
import { askExisting, missingFault } from "../page/sources.ts";

type Sources = Pick<Context["sources"], "monitors" | "agents" | "incidents">;
type NamedTargets = { monitors?: readonly number[]; agents?: readonly number[]; incidentId?: string | null };

/**
 * Checks that each monitor, agent and incident that an announcement names exists. Targets named before may have been
 * deleted since; they stay and are not checked.
 * @param before the targets named so far
 * @throws AppError `impossible` with the path of each that does not exist (`monitors.0`); `unavailable`
 */
export async function refuseUnknown(sources: Sources, named: NamedTargets, before: NamedTargets = {}): Promise<void> {
  const wanted = [...newOf("monitor", named.monitors, before.monitors), ...newOf("agent", named.agents, before.agents)];
  const { incidentId } = named;
  const [existing, isUnknownIncident] = await Promise.all([
    askExisting(sources, wanted),
    incidentId == null || incidentId === before.incidentId ? false : isUnknown(sources, incidentId),
  ]);
  const faults: FieldFault[] = wanted.filter((target) => !existing.has(target)).map(missingFault);
  if (isUnknownIncident) faults.push({ path: "incidentId", message: "Incident does not exist" });
  if (faults.length > 0) throw new AppError("impossible", "The request is not valid", { details: faults });
}

type Target = { type: TargetType; id: number; path: string };

const newOf = (type: TargetType, ids: readonly number[] = [], before: readonly number[] = []): Target[] =>
  ids.flatMap((id, at) => (before.includes(id) ? [] : [{ type, id, path: `${type}s.${at}` }]));

async function isUnknown({ incidents }: Sources, id: string): Promise<boolean> {
  try {
    await incidents.getIncident({ id }, { scope: id.startsWith("a") ? "agents" : "monitors" });
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return true;
    throw error;
  }
}
