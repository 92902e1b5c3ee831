import { AppError } from "@sonde/kit/errors";
import { incidentProducers } from "@sonde/proto/http/incidents/incidents";
import { type Key, readDependencies } from "../routes/dependencies.ts";
import type { CallContext, NamedIds } from "./call-context.ts";

/** @throws AppError impossible for a dependency cycle */
export async function refuseCycles(
  context: CallContext,
  dependsOn: Readonly<Record<string, readonly string[]>>,
  ids: NamedIds,
): Promise<void> {
  if (Object.values(dependsOn).every((refs) => refs.length === 0)) return;
  const known = await Promise.all(incidentProducers.map((producer) => readDependencies(context, producer)));
  const named = new Map<Key, string>();
  const keyOf = (ref: string): Key[] => {
    const [type, name] = ref.startsWith("agent:")
      ? (["agent", ref.slice(6)] as const)
      : (["monitor", ref.slice(8)] as const);
    const id = (type === "agent" ? ids.agents : ids.monitors)[name];
    if (id === undefined) return [];
    named.set(`${type}:${id}`, name);
    return [`${type}:${id}`];
  };
  const given = Object.entries(dependsOn).flatMap(([key, refs]) =>
    keyOf(`monitor:${key}`).map((own): [Key, Key[]] => [own, refs.flatMap(keyOf)]),
  );
  const parents = new Map<Key, readonly Key[]>([...known.flat(), ...given]);
  const circle = findCycle(parents);
  const start = circle?.[0];
  if (circle === null || start === undefined) return;
  const texts = [...circle.slice(0, 10), start].map((key) => named.get(key) ?? key);
  const problem = {
    message: "This would create a dependency cycle: {circle}",
    params: { circle: texts.join(" → ") },
  } as const;
  const path = `monitors.${named.get(start) ?? start}.dependsOn`;
  throw new AppError("impossible", problem.message, { params: problem.params, details: [{ path, ...problem }] });
}

/** In the result each key depends on the next, and the last on the first. */
function findCycle(parents: ReadonlyMap<Key, readonly Key[]>): Key[] | null {
  const done = new Set<Key>();
  const way = new Set<Key>();
  // Depth first without recursion, because chains can be long.
  const steps = [...parents.keys()].map((key) => ({ key, isLeft: false }));
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { key, isLeft } = step;
    if (isLeft) {
      way.delete(key);
      done.add(key);
      continue;
    }
    if (way.has(key)) return [...way].slice([...way].indexOf(key));
    if (done.has(key)) continue;
    way.add(key);
    steps.push({ key, isLeft: true }, ...(parents.get(key) ?? []).map((parent) => ({ key: parent, isLeft: false })));
  }
  return null;
}
