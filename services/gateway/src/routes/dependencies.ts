import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { incidentProducers } from "@sonde/proto/http/incidents/incidents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { HandlerBase } from "../route.ts";
import { isId } from "../validate.ts";

type CallContext = Pick<HandlerBase, "services" | "ask">;

export type Key = `${"monitor" | "agent"}:${number}`;

const keyOf = ({ type, id }: { type: string; id: number }): Key => `${type === "agent" ? "agent" : "monitor"}:${id}`;
const maxNames = 10;

/**
 * Checks that dependencies exist and form no cycle. Concurrent changes may still create one; the notifier does not
 * defer alerts of targets in a cycle.
 * @param target with its current dependencies; `null` for a new one
 * @returns the dependencies to save, without deleted ones
 * @throws AppError `impossible` (`dependsOn.0`) for a missing target; `invalid` (`dependsOn`) for a cycle
 */
export async function checkDependencies(
  context: CallContext,
  target: (TargetRef & { dependsOn: readonly { type: string; id: number }[] }) | null,
  requested: readonly TargetRef[],
): Promise<TargetRef[]> {
  const before = new Set(target?.dependsOn.map(keyOf));
  // Nothing new to check: a form sends back unchanged dependencies.
  if (requested.every((ref) => before.has(keyOf(ref)))) return [...requested];
  const names = await namesOf(context, requested.filter(({ id }) => isId(id)).map(keyOf));
  const exists = (ref: TargetRef) => names.has(keyOf(ref));
  const problems = requested.flatMap((ref, at): FieldFault[] =>
    exists(ref) || before.has(keyOf(ref)) ? [] : [{ path: `dependsOn.${at}`, ...missing(ref) }],
  );
  if (problems.length > 0) throw new AppError("impossible", "The request is not valid", { details: problems });
  const existing = requested.filter(exists);
  if (target !== null) await refuseCycle(context, keyOf(target), existing.map(keyOf));
  return existing;
}

/** Reads the current dependencies only if there is something to check. */
export async function checkChange(
  context: CallContext,
  target: TargetRef,
  requested: readonly TargetRef[] | undefined,
): Promise<TargetRef[] | undefined> {
  if (requested === undefined || requested.length === 0) return requested && [];
  const { services, ask } = context;
  const { type, id } = target;
  const dependsOn =
    type === "agent"
      ? (await services.agents.getAgent({ id }, ask)).dependsOn
      : (await services.monitors.getMonitor({ id }, ask)).dependsOn;
  return checkDependencies(context, { ...target, dependsOn }, requested);
}

const missing = ({ type, id }: TargetRef) =>
  ({
    message: type === "agent" ? "There is no agent with ID {id}" : "There is no monitor with ID {id}",
    params: { id },
  }) as const;

async function refuseCycle(context: CallContext, target: Key, requested: readonly Key[]): Promise<void> {
  const [ofMonitors, ofAgents] = await Promise.all(
    incidentProducers.map((producer) => readDependencies(context, producer)),
  );
  const parents = new Map<Key, readonly Key[]>([...(ofMonitors ?? []), ...(ofAgents ?? []), [target, requested]]);
  const circle = findCycleThrough(target, (key) => parents.get(key) ?? []);
  if (circle === null) return;
  const shown = circle.length > maxNames ? [...circle.slice(0, maxNames - 1), null] : circle;
  const names = await namesOf(
    context,
    shown.flatMap((key) => key ?? []),
  );
  const texts = [...shown, target].map((key) => (key === null ? "…" : (names.get(key) ?? key)));
  const message = "This would create a dependency cycle: {circle}";
  throw invalid([{ path: "dependsOn", message, params: { circle: texts.join(" → ") } }]);
}

export async function readDependencies(
  { services, ask }: CallContext,
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

async function namesOf({ services, ask }: CallContext, keys: readonly Key[]): Promise<Map<Key, string>> {
  const [monitors, agents] = [idsOf(keys, "monitor"), idsOf(keys, "agent")];
  const [ofMonitors, ofAgents] = await Promise.all([
    // Compact entries for a few ids always fit in one response.
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

/** Returns the path from a target back to itself. Without recursion, because chains can be long. */
export function findCycleThrough(start: Key, parentsOf: (key: Key) => readonly Key[]): Key[] | null {
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
