import { mapSealed, type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { CheckSpec } from "@sonde/proto/gen/monitors/v1/definitions";
import { readCheck } from "@sonde/proto/http/kinds";
import { compileCheck, type Target } from "../probe/probes.ts";

/**
 * Prepares what a definition asks for, with its secrets opened; they exist in clear nowhere else.
 * @throws Error where a secret does not open, or the check is of no kind that this runner knows
 */
export function compileSpec(spec: CheckSpec, secrets: SecretBox): Target {
  const opened = mapSealed(JSON.parse(spec.check), (sealed) => secrets.open(sealed, secretContexts.check));
  if (typeof opened !== "object" || opened === null) throw new Error("the definition holds no check");
  return compileCheck(readCheck({ ...opened }));
}
