import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { incidentProducers } from "@sonde/proto/http/incidents/incidents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { HandlerBase } from "../route.ts";
import { isId } from "../validate.ts";

type Asking = Pick<HandlerBase, "services" | "ask">;

/** A target as a key: `monitor:12`. */
export type Key = `${"monitor" | "agent"}:${number}`;

const keyOf = ({ type, id }: { type: string; id: number }): Key => `${type === "agent" ? "agent" : "monitor"}:${id}`;
const maxNames = 10;

/**
 * Checks the dependencies of a target: each exists, and they form no cycle. Two concurrent changes may still close one;
 * in the notifier targets in a cycle do not defer each other's alerts.
 * @param target the changed one, with its dependencies so far; null for a new one
 * @returns the dependencies to save, without those deleted meanwhile
 * @throws AppError `impossible` (`dependsOn.0`) for a missing target; `invalid` (`dependsOn`) for a cycle
 */
export async function checkDependencies(
  asking: Asking,
  target: (TargetRef & { dependsOn: readonly { type: string; id: number }[] }) | null,
  wanted: readonly TargetRef[],
): Promise<TargetRef[]> {
  const before = new Set(target?.dependsOn.map(keyOf));
  // A form sends back what it was given.
  if (wanted.every((ref) => before.has(keyOf(ref)))) return [...wanted];
  const names = await namesOf(asking, wanted.filter(({ id }) => isId(id)).map(keyOf));
  const isThere = (ref: TargetRef) => names.has(keyOf(ref));
  const faults = wanted.flatMap((ref, at): FieldFault[] =>
    isThere(ref) || before.has(keyOf(ref)) ? [] : [{ path: `dependsOn.${at}`, ...missing(ref) }],
  );
  if (faults.length > 0) throw new AppError("impossible", "The request is not valid", { details: faults });
  const kept = wanted.filter(isThere);
  if (target !== null) await refuseCircle(asking, keyOf(target), kept.map(keyOf));
  return kept;
}

/** The same for a changed target: its present dependencies are read only if there is something to check. */
export async function checkChange(
  asking: Asking,
  target: TargetRef,
  wanted: readonly TargetRef[] | undefined,
): Promise<TargetRef[] | undefined> {
  if (wanted === undefined || wanted.length === 0) return wanted && [];
  const { services, ask } = asking;
  const { type, id } = target;
  const dependsOn =
    type === "agent"
      ? (await services.agents.getAgent({ id }, ask)).dependsOn
      : (await services.monitors.getMonitor({ id }, ask)).dependsOn;
  return checkDependencies(asking, { ...target, dependsOn }, wanted);
}

const missing = ({ type, id }: TargetRef) =>
  ({
    message: type === "agent" ? "There is no agent with ID {id}" : "There is no monitor with ID {id}",
    params: { id },
  }) as const;

async function refuseCircle(asking: Asking, target: Key, wanted: readonly Key[]): Promise<void> {
  const [ofMonitors, ofAgents] = await Promise.all(
    incidentProducers.map((producer) => readDependencies(asking, producer)),
  );
  const parents = new Map<Key, readonly Key[]>([...(ofMonitors ?? []), ...(ofAgents ?? []), [target, wanted]]);
  const circle = circleThrough(target, (key) => parents.get(key) ?? []);
  if (circle === null) return;
  const shown = circle.length > maxNames ? [...circle.slice(0, maxNames - 1), null] : circle;
  const names = await namesOf(
    asking,
    shown.flatMap((key) => key ?? []),
  );
  const texts = [...shown, target].map((key) => (key === null ? "…" : (names.get(key) ?? key)));
  const message = "This would create a dependency cycle: {circle}";
  throw invalid([{ path: "dependsOn", message, params: { circle: texts.join(" → ") } }]);
}

/** What a producer's targets depend on so far. */
export async function readDependencies(
  { services, ask }: Asking,
  producer: (typeof incidentProducers)[number],
): Promise<[Key, Key[]][]> {
  const type = producer === "agents" ? "agent" : "monitor";
  const found: [Key, Key[]][] = [];
  for (let afterId = 0; ;) {
    const { dependencies, more } = await services.incidents.listDependencies({ afterId }, { ...ask, scope: producer });
    for (const { targetId, dependsOn } of dependencies) found.push([`${type}:${targetId}`, dependsOn.map(keyOf)]);
    const last = dependencies.at(-1)?.targetId;
    if (!more || last === undefined || last <= afterId) return found;
    afterId = last;
  }
}

async function namesOf({ services, ask }: Asking, keys: readonly Key[]): Promise<Map<Key, string>> {
  const [monitors, agents] = [idsOf(keys, "monitor"), idsOf(keys, "agent")];
  const [ofMonitors, ofAgents] = await Promise.all([
    // Compact ones of a few ids always fit one answer.
    monitors.length === 0
      ? []
      : services.monitors
          .listMonitors({ ids: monitors, pageSize: monitors.length, compact: true }, ask)
          .then((page) => page.monitors.map(({ id, name }) => [`monitor:${id}`, name] as const)),
    agents.length === 0
      ? []
      : services.agents
          .listAgents({ ids: agents, pageSize: agents.length }, ask)
          .then((page) => page.agents.map(({ id, name }) => [`agent:${id}`, name] as const)),
  ]);
  return new Map<Key, string>([...ofMonitors, ...ofAgents]);
}

const idsOf = (keys: readonly Key[], type: "monitor" | "agent") =>
  keys.filter((key) => key.startsWith(`${type}:`)).map((key) => Number(key.slice(type.length + 1)));

/**
 * The way on which a target would come to depend on itself, from it on and back to it; null if there is none.
 * Depth first, each target once, without recursion: chains may be long.
 * @param parentsOf what each target depends on
 */
export function circleThrough(start: Key, parentsOf: (key: Key) => readonly Key[]): Key[] | null {
  const from = new Map<Key, Key>();
  const waiting: Key[] = [start];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    for (const parent of parentsOf(key)) {
      if (parent === start) return wayTo(key, from);
      if (from.has(parent)) continue;
      from.set(parent, key);
      waiting.push(parent);
    }
  }
  return null;
}

function wayTo(last: Key, from: ReadonlyMap<Key, Key>): Key[] {
  const way: Key[] = [];
  for (let key: Key | undefined = last; key !== undefined; key = from.get(key)) way.push(key);
  return way.toReversed();
}
