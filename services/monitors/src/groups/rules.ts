import { type AppError, type FieldFault, impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { maxGroupDepth } from "@sonde/proto/http/monitors/groups";
import type { StoredCheck } from "../monitors/monitor.ts";
import { isGroup } from "./store.ts";

type Group = { id: number; name: string; members: readonly number[] };

/** @throws AppError impossible for a member that does not exist */
export async function refuseMissingMembers(trx: Database, { type, members }: StoredCheck): Promise<void> {
  if (type !== "group") return;
  const ids = members as number[];
  const existing = await trx("monitors")
    .whereNull("deletedAtMs")
    .whereRaw("id = any(?::bigint[])", [ids])
    .pluck<number[]>("id");
  const missing = ids.findIndex((id) => !existing.includes(id));
  if (missing < 0) return;
  const [path, message] = [`members.${missing}`, "There is no monitor with ID {id}"] as const;
  throw impossible([{ path, message, params: { id: ids[missing]! } }]);
}

/**
 * Call it after writing groups, in the same transaction. Concurrent changes wait, so two groups cannot be put into each
 * other. @throws AppError impossible for a cycle, and for groups nested too deep
 */
export async function refuseCircles(trx: Database): Promise<void> {
  await trx.raw("select pg_advisory_xact_lock(hashtext(current_schema() || ' groups'))");
  const fault = faultOf(await readGroups(trx));
  if (fault === null) return;
  const { ids: _ids, ...error } = fault;
  throw impossible([error]);
}

/**
 * Checks groups that are not written yet, of which new ones have negative ids. `removed`: ids of monitors that would be
 * deleted. Returns the error and the id of the planned group that causes it, or `null`.
 */
export async function faultOfPlan(
  trx: Database,
  planned: readonly Group[],
  removed: readonly number[],
): Promise<{ id: number; error: AppError } | null> {
  const [first] = planned;
  if (first === undefined) return null;
  const replaced = new Set([...planned.map(({ id }) => id), ...removed]);
  const kept = (await readGroups(trx)).filter(({ id }) => !replaced.has(id));
  const fault = faultOf([...planned, ...kept]);
  if (fault === null) return null;
  const { ids, ...error } = fault;
  // A group within those that are too deep may be the one that changed.
  const { id } = planned.find((group) => ids.has(group.id)) ?? first;
  return { id, error: impossible([error]) };
}

const readGroups = (trx: Database): Promise<Group[]> =>
  trx("monitors")
    .whereRaw(isGroup)
    .orderBy("id")
    .select<Group[]>("id", "name", trx.raw("config->'members' as members"));

/** `ids`: of the groups that contain each other or are too deep. */
function faultOf(groups: readonly Group[]): (FieldFault & { ids: Set<number> }) | null {
  const path = "members";
  const circle = findCircle(groups);
  if (circle !== null) {
    const params = { circle: circle.map(({ name }) => name).join(" → ") };
    return { path, message: "Groups cannot contain each other: {circle}", params, ids: idsOf(circle) };
  }
  const depths = depthsOf(groups);
  const tooDeep = groups.filter(({ id }) => depths.get(id)! > maxGroupDepth);
  if (tooDeep.length === 0) return null;
  const params = { max: maxGroupDepth };
  return { path, message: "Groups can be nested at most {max} levels deep", params, ids: idsOf(tooDeep) };
}

const idsOf = (groups: readonly Group[]) => new Set(groups.map(({ id }) => id));

/** Returns groups that contain each other, the first one also at the end, or `null`. */
export function findCircle(groups: readonly Group[]): Group[] | null {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const done = new Set<number>();
  const search = (group: Group, way: readonly Group[]): Group[] | null => {
    if (way.includes(group)) return [...way.slice(way.indexOf(group)), group];
    if (done.has(group.id)) return null;
    for (const member of group.members) {
      const inner = byId.get(member);
      const found = inner === undefined ? null : search(inner, [...way, group]);
      if (found !== null) return found;
    }
    done.add(group.id);
    return null;
  };
  for (const group of groups) {
    const found = search(group, []);
    if (found !== null) return found;
  }
  return null;
}

/** Levels of each group; they must form no circle. */
export function depthsOf(groups: readonly Group[]): Map<number, number> {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const depths = new Map<number, number>();
  const depth = ({ id, members }: Group): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const inner = members.flatMap((member) => byId.get(member) ?? []).map(depth);
    const own = 1 + Math.max(0, ...inner);
    depths.set(id, own);
    return own;
  };
  groups.forEach(depth);
  return depths;
}
