import { AppError } from "@sonde/kit/errors";
import { incidentProducers } from "@sonde/proto/http/incidents/incidents";
import { type Key, circleThrough, readDependencies } from "../routes/dependencies.ts";
import type { Asking, NamedIds } from "./asking.ts";

/** @throws AppError impossible where what a document says would close a circle of dependencies */
export async function refuseCircles(
  asking: Asking,
  dependsOn: Readonly<Record<string, readonly string[]>>,
  ids: NamedIds,
): Promise<void> {
  if (Object.values(dependsOn).every((refs) => refs.length === 0)) return;
  const known = await Promise.all(incidentProducers.map((producer) => readDependencies(asking, producer)));
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
  const start = inCircle(parents);
  const circle = start === null ? null : circleThrough(start, (key) => parents.get(key) ?? []);
  if (start === null || circle === null) return;
  const texts = [...circle.slice(0, 10), start].map((key) => named.get(key) ?? key);
  const fault = {
    message: "These would depend on each other in a circle: {circle}",
    params: { circle: texts.join(" → ") },
  } as const;
  const path = `monitors.${named.get(start) ?? start}.dependsOn`;
  throw new AppError("impossible", fault.message, { params: fault.params, details: [{ path, ...fault }] });
}

/** One that comes to depend on itself; null if none does. Whatever depends on nothing that is left is put aside, each once. */
function inCircle(parents: ReadonlyMap<Key, readonly Key[]>): Key | null {
  const left = new Map<Key, number>([...parents].map(([key, of]) => [key, of.length]));
  const children = new Map<Key, Key[]>();
  for (const [key, of] of parents) {
    for (const parent of of) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [key]);
      else known.push(key);
    }
  }
  const free = [...children.keys(), ...parents.keys()].filter((key) => (left.get(key) ?? 0) === 0);
  const done = new Set<Key>();
  for (let key = free.pop(); key !== undefined; key = free.pop()) {
    if (done.has(key)) continue;
    done.add(key);
    for (const child of children.get(key) ?? []) {
      const count = (left.get(child) ?? 0) - 1;
      left.set(child, count);
      if (count === 0) free.push(child);
    }
  }
  // What is left is in a circle or depends on one: the first that comes back to itself.
  const rest = [...parents.keys()].filter((key) => !done.has(key));
  if (rest.length === 0) return null;
  const seen = new Set<Key>();
  let at = rest[0]!;
  while (!seen.has(at)) {
    seen.add(at);
    at = (parents.get(at) ?? []).find((parent) => !done.has(parent)) ?? at;
  }
  return at;
}
