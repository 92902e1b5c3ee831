import { mapSealed, type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { readCheck } from "@sonde/proto/http/monitors/kinds";
import { compileCheck, type ProbeTarget } from "../probe/probes.ts";

/**
 * Prepares the check of a definition, with its secrets opened; they exist in clear nowhere else.
 * @throws Error where a secret does not open, or the check is of no kind that this runner knows
 */
export function compileSealed(check: unknown, secrets: SecretBox): ProbeTarget {
  const opened = mapSealed(check, (sealed) => secrets.open(sealed, secretContexts.check));
  if (typeof opened !== "object" || opened === null) throw new Error("the definition holds no check");
  return compileCheck(readCheck({ ...opened }));
}
