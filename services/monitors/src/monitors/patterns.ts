import type { FieldFault } from "@sonde/kit/errors";
import type { PatternChecker } from "@sonde/kit/patterns/checker";
import { kindOf, parseCheck } from "@sonde/proto/http/monitors/kinds";
import type { StoredCheck } from "./monitor.ts";
import { type CheckPatch, mergeCheck } from "./rules.ts";

/**
 * The regular expressions of an input that no probe could run, each with the reason and its path; unchanged ones are
 * not refused again. Call it before a transaction begins: compiling may take a while.
 * @throws AppError unavailable
 */
export async function patternFaults(
  patterns: Pick<PatternChecker, "faultsOf">,
  given: CheckPatch | undefined,
  before: StoredCheck | null,
): Promise<FieldFault[]> {
  if (given === undefined) return [];
  const parsed = parseCheck(mergeCheck(given, before));
  // Other faults are reported with the rest of the input's.
  if (!parsed.success) return [];
  const found = kindOf(parsed.data.type)
    .patterns(parsed.data)
    .filter(({ path }) => path.split(".", 1)[0]! in given);
  const faults = await patterns.faultsOf(found.map(({ value }) => value));
  return found.flatMap(({ path }, at): FieldFault[] => {
    const fault = faults[at];
    return fault ? [{ path, message: fault.fault, params: fault.params }] : [];
  });
}
