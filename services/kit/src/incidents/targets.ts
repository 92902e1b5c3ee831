import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import { dependsOn, type TargetRef } from "@sonde/proto/http/monitors/targets";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { z } from "zod";
import { isLoopback, withoutMapping } from "../addresses.ts";
import { invalid } from "../errors.ts";

const shape = z.object({ dependsOn });

/**
 * Parses a target's dependencies, each once. Whether they exist, or form a cycle, is not checked: no service knows all
 * targets.
 * @param self the target, if it has an id already
 * @throws AppError invalid for the target itself, too many, or a malformed target
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

/**
 * Names and addresses of a machine in one form, so that those of a monitor's target and of an agent can be compared:
 * lower case, each once, without what every machine calls itself.
 */
export function machineHosts(hosts: readonly string[]): string[] {
  const known = hosts.flatMap((host) => {
    const name = canonicalHost(withoutMapping(host.trim()).replace(/\.$/, "")) ?? "";
    return name === "" || name.endsWith(".localhost") || isLoopback(name) ? [] : [name];
  });
  return [...new Set(known)];
}
