import { dependsOn, type TargetRef } from "@sonde/proto/http/targets";
import { faultsOf } from "@sonde/proto/http/issues";
import { z } from "zod";
import { invalid } from "../errors.ts";

const shape = z.object({ dependsOn });

/**
 * What a target is to depend on, each once. Whether they exist, and form no circle, is not looked at: no service knows
 * all targets.
 * @param self the target, where it has an id already
 * @throws AppError invalid where it is the target itself, too many, or no target at all
 */
export function readDependsOn(
  given: readonly { type: string; id: number }[],
  self?: Pick<TargetRef, "type" | "id">,
): TargetRef[] {
  const parsed = shape.safeParse({ dependsOn: given.map(({ type, id }) => ({ type, id })) });
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  const index = given.findIndex(({ type, id }) => type === self?.type && id === self.id);
  if (index >= 0) throw invalid([{ path: `dependsOn.${index}`, message: "It cannot depend on itself" }]);
  return parsed.data.dependsOn;
}
