import { causeFacts, type SharedCause } from "@sonde/proto/http/incidents/explanation";
import { type FactKey, factOf } from "./facts.ts";

export type OpenedIncident = { id: number; targetId: number; openedAtMs: number };
export type FailingTarget = { incidentIds: readonly number[]; facts: readonly FactKey[] };
export type HealthyTarget = {
  facts: readonly FactKey[];
  /** Its last successful check said where it is, so it can be told apart. */
  isSeen: boolean;
};
export type FoundCause = Omit<SharedCause, "incidentIds"> & { incidentIds: number[] };

const togetherMs = 120_000;
/** More causes at once explain nothing. */
const maxCauses = 5;

/**
 * Returns the incidents of the group that is still forming: the newest one, and those before it that each opened
 * within two minutes of the next. Empty once the newest is older than that.
 * @param incidents newest first
 */
export function formingGroup<Opened extends OpenedIncident>(incidents: readonly Opened[], nowMs: number): Opened[] {
  let beforeMs = nowMs;
  const end = incidents.findIndex(({ openedAtMs }) => {
    const isApart = beforeMs - openedAtMs >= togetherMs;
    beforeMs = openedAtMs;
    return isApart;
  });
  return incidents.slice(0, end === -1 ? incidents.length : end);
}

/**
 * Finds what failing targets share and healthy ones do not.
 *
 * - A fact counts if at least two failing targets have it, no healthy one has it, and fewer targets that are up but
 *   were not checked since have it than failing ones.
 * - The fact of most targets wins. A smaller fact (by the order of `causeFacts`) wins if it misses at most a tenth of
 *   these.
 * - The rest is searched for other causes. A cause stays only if its targets are at least three quarters of those that
 *   no other cause explains.
 * - Without a healthy target nothing tells the failing ones apart, so there is no cause.
 *
 * The time is linear in targets and their facts.
 */
export function findSharedCauses(
  failing: readonly FailingTarget[],
  healthy: readonly HealthyTarget[],
  unchecked: readonly { facts: readonly FactKey[] }[] = [],
): FoundCause[] {
  const elsewhere = healthy.filter(({ isSeen }) => isSeen).length;
  if (failing.length < 2 || elsewhere === 0) return [];
  const cleared = new Set(healthy.flatMap(({ facts }) => facts));
  const pending = countFacts(unchecked);
  const parts: { key: FactKey; targets: FailingTarget[] }[] = [];
  let rest = failing;
  while (rest.length >= 2 && parts.length < maxCauses) {
    const shared = [...countFacts(rest)].filter(
      ([key, count]) => count >= 2 && !cleared.has(key) && count > (pending.get(key) ?? 0),
    );
    const key = smallestOfMost(shared);
    if (key === undefined) break;
    parts.push({ key, targets: rest.filter(({ facts }) => facts.includes(key)) });
    rest = rest.filter(({ facts }) => !facts.includes(key));
  }
  parts.sort((one, other) => other.targets.length - one.targets.length);
  let unexplained = rest.length;
  while (parts.length > 0 && parts.at(-1)!.targets.length < 3 * unexplained) unexplained += parts.pop()!.targets.length;
  return parts.map(({ key, targets }) => ({
    ...factOf(key),
    sharing: targets.length,
    failing: targets.length + unexplained,
    healthy: elsewhere,
    incidentIds: targets.flatMap(({ incidentIds }) => incidentIds).toSorted((one, other) => one - other),
  }));
}

/** Facts of at least two targets. Of other targets, only these matter. */
export const sharedFacts = (targets: readonly { facts: readonly FactKey[] }[]): FactKey[] =>
  [...countFacts(targets)].flatMap(([key, count]) => (count >= 2 ? [key] : []));

function smallestOfMost(shared: readonly (readonly [FactKey, number])[]): FactKey | undefined {
  const most = Math.max(...shared.map(([, count]) => count));
  const enough = shared.filter(([, count]) => count >= most - Math.floor(most / 10));
  const [best] = enough.toSorted(
    ([one, count], [other, otherCount]) => sizeOf(one) - sizeOf(other) || otherCount - count || (one < other ? -1 : 1),
  );
  return best?.[0];
}

function countFacts(targets: readonly { facts: readonly FactKey[] }[]): Map<FactKey, number> {
  const counts = new Map<FactKey, number>();
  for (const { facts } of targets) for (const key of facts) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const sizeOf = (key: FactKey) => causeFacts.indexOf(factOf(key).fact);
