import type { FieldFault } from "@sonde/kit/errors";
import { compilePattern } from "@sonde/kit/pattern";
import type { Definition } from "./monitor.ts";

/** The regular expressions that no probe could run, each with the reason and its place. */
export function patternFaults({ assertions }: Pick<Definition, "assertions">): FieldFault[] {
  return assertions.flatMap(({ op, value }, index): FieldFault[] => {
    if (op !== "matches") return [];
    const pattern = compilePattern(value);
    if (typeof pattern === "function") return [];
    return [{ path: `assertions.${index}.value`, message: pattern.fault, params: pattern.params }];
  });
}
