import type { PathStep } from "@sonde/proto/http/monitors/json-path";

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
