import { AppError } from "@sonde/kit/errors";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Context } from "../context.ts";
import { askExisting, missingFault } from "../page/sources.ts";
import type { WindowTargets } from "./store.ts";

/**
 * The targets of a window, each checked to exist. Deleted ones that it had before are left out, so that a form may send
 * back what it was sent.
 * @throws AppError impossible (`monitors.0`) of what does not exist; unavailable if that cannot be checked
 */
export async function checkTargets(
  { sources }: Pick<Context, "sources">,
  { monitorIds, agentIds }: WindowTargets,
  before: WindowTargets,
): Promise<WindowTargets> {
  const named = [...namedBy("monitor", monitorIds, before.monitorIds), ...namedBy("agent", agentIds, before.agentIds)];
  const existing = await askExisting(sources, named);
  const details = named.filter((target) => !target.isKnown && !existing.has(target)).map(missingFault);
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
  return {
    monitorIds: monitorIds.filter((id) => existing.has({ type: "monitor", id })),
    agentIds: agentIds.filter((id) => existing.has({ type: "agent", id })),
  };
}

const namedBy = (type: TargetType, ids: readonly number[], before: readonly number[]) =>
  ids.map((id, at) => ({ type, id, path: `${type}s.${at}`, isKnown: before.includes(id) }));
