import type { FieldFault } from "@sonde/kit/errors";
import type { PatternChecker } from "@sonde/kit/patterns/checker";
import type { Patch } from "./fields.ts";

/**
 * The regular expressions of an input that no probe could run, each with the reason and its place. To be asked before a
 * transaction begins: compiling may take a while. @throws AppError unavailable
 */
export async function patternFaults(
  patterns: Pick<PatternChecker, "faultsOf">,
  { assertions = [] }: Pick<Patch, "assertions">,
): Promise<FieldFault[]> {
  const given = assertions.flatMap(({ op, value }, index) => (op === "matches" ? [{ index, value }] : []));
  const faults = await patterns.faultsOf(given.map(({ value }) => value));
  return given.flatMap(({ index }, at): FieldFault[] => {
    const fault = faults[at];
    return fault ? [{ path: `assertions.${index}.value`, message: fault.fault, params: fault.params }] : [];
  });
}
