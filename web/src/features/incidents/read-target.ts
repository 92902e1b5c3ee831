import type { TargetRef } from "@sonde/proto/http/monitors/targets";

/** The target that a filter names: `monitor:12`. As `readTarget` of the contract, whose module would bring zod along. */
export function readTarget(filter: string): TargetRef {
  const [type, id] = filter.split(":");
  return { type: type === "agent" ? "agent" : "monitor", id: Number(id) };
}
