import type { MessageInitShape } from "@bufbuild/protobuf";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import { metNobody } from "@sonde/kit/bus/rpc";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { CheckSpecSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { attemptMs } from "@sonde/proto/http/check-now";
import type { Context } from "../context.ts";

export type RunCheck = {
  monitorId: number;
  version: number;
  spec: MessageInitShape<typeof CheckSpecSchema>;
  /** From 1; a re-check counts up. */
  attempt?: number;
};

/**
 * Has a runner at one of the locations carry out one check; a location without runners is passed over.
 * @throws AppError unavailable, 'Check failed', where none could be run; its details say why
 */
export async function runCheck(
  { probes, locations }: Pick<Context, "probes" | "locations">,
  asked: readonly string[],
  check: RunCheck,
): Promise<CheckResult> {
  // A runner that just came is not counted yet: those without any are asked last, not left out.
  const likely = [...asked].sort(
    (one, other) => Number(locations.runners(other) > 0) - Number(locations.runners(one) > 0),
  );
  let cause: unknown;
  for (const location of likely) {
    try {
      const timeoutMs = attemptMs(check.spec.timeoutMs ?? 0);
      const { result } = await probes.runCheck(check, { scope: location, timeoutMs });
      if (result !== undefined) return result;
    } catch (error) {
      cause = error;
      if (!metNobody(error)) break;
    }
  }
  throw new AppError("unavailable", "Check failed", { cause, details: reasonOf(cause, likely[0]) });
}

function reasonOf(cause: unknown, location = ""): readonly FieldFault[] {
  if (!metNobody(cause)) return cause instanceof AppError ? cause.details : [];
  const message = "No probe runner is available at location {location}";
  return [{ path: "check", message, params: { location } }];
}
