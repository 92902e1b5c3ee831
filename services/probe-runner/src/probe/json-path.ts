/** One step of a path: a member's name or an element's index. */
export type PathStep = string | number;

const step = /\.([\p{L}_$][\p{L}\p{N}_$-]*)|\[(-?\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;

/**
 * Reads a JSONPath that names at most one value (a singular query of RFC 9535): `$.data.items[0]['first name']`.
 * Wildcards, slices, filters and descent are not of this kind. Undefined where the text is no such path.
 */
export function parseJsonPath(text: string): PathStep[] | undefined {
  if (!text.startsWith("$")) return undefined;
  const steps: PathStep[] = [];
  let at = 1;
  while (at < text.length) {
    step.lastIndex = at;
    const found = step.exec(text);
    if (found === null) return undefined;
    const [whole, name, index, single, double] = found;
    const quoted = single ?? double;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? (quoted ?? "").replace(/\\(.)/g, "$1"));
    at += whole.length;
  }
  return steps;
}

/** The value that a path names; undefined where it names nothing. A negative index counts from the end. */
export function readPath(value: unknown, steps: readonly PathStep[]): unknown {
  let present = value;
  for (const next of steps) {
    if (typeof next === "number") {
      if (!Array.isArray(present)) return undefined;
      present = present.at(next);
    } else {
      if (typeof present !== "object" || present === null || Array.isArray(present)) return undefined;
      if (!Object.hasOwn(present, next)) return undefined;
      present = (present as Record<string, unknown>)[next];
    }
  }
  return present;
}
