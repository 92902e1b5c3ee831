import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Deps } from "../deps.ts";

/** Whether a target is in maintenance now, in the form of responses: absent if not. */
export function inMaintenance(
  { maintenance, clock }: Pick<Deps, "maintenance" | "clock">,
  type: TargetType,
  id: number,
): true | undefined {
  return maintenance.at(type, id, clock.now()) === undefined ? undefined : true;
}
