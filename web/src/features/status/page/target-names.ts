import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { type TargetSummary, useAllTargetsQuery } from "../../../app/targets/api.ts";
import type { TargetListName } from "./form-values.ts";

export const typeOf = (kind: TargetListName): TargetType => (kind === "monitors" ? "monitor" : "agent");

/** The targets of one kind by id, asked for in pages rather than one by one. Undefined until they are here. */
export function useTargets(kind: TargetListName, skip: boolean): ReadonlyMap<number, TargetSummary> | undefined {
  const { data, error } = useAllTargetsQuery(typeOf(kind), {
    skip,
    refetchOnMountOrArgChange: true,
    selectFromResult: ({ data: all, error: failure }) => ({ data: all && byId(all.targets), error: failure }),
  });
  return data ?? (error === undefined ? undefined : nobody);
}

const nobody = new Map<number, TargetSummary>();
const known = new WeakMap<readonly TargetSummary[], Map<number, TargetSummary>>();

/** The same map for the same list: lines that did not change are not drawn again. */
function byId(targets: readonly TargetSummary[]): Map<number, TargetSummary> {
  const map = known.get(targets) ?? new Map(targets.map((target) => [target.id, target]));
  known.set(targets, map);
  return map;
}
