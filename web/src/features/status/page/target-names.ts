import type { TargetType } from "@sonde/proto/http/targets";
import { type Target, useAllTargetsQuery } from "../../../app/targets/api.ts";
import type { Kind } from "./form-values.ts";

export const typeOf = (kind: Kind): TargetType => (kind === "monitors" ? "monitor" : "agent");

/** The targets of one kind by id, asked for in pages rather than one by one. Undefined until they are here. */
export function useTargets(kind: Kind, skip: boolean): ReadonlyMap<number, Target> | undefined {
  const { data, error } = useAllTargetsQuery(typeOf(kind), {
    skip,
    refetchOnMountOrArgChange: true,
    selectFromResult: ({ data: all, error: failure }) => ({ data: all && byId(all.targets), error: failure }),
  });
  return data ?? (error === undefined ? undefined : nobody);
}

const nobody = new Map<number, Target>();
const known = new WeakMap<readonly Target[], Map<number, Target>>();

/** The same map for the same list: lines that did not change are not drawn again. */
function byId(targets: readonly Target[]): Map<number, Target> {
  const map = known.get(targets) ?? new Map(targets.map((target) => [target.id, target]));
  known.set(targets, map);
  return map;
}
