import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import { presentCheck } from "@sonde/domain/check-result";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { Message } from "@sonde/proto/http/messages";
import type { RunnerTrouble } from "@sonde/proto/http/monitors/monitors";
import type { probesContract } from "@sonde/proto/rpc/probes";
import { type Checker, noCapacity } from "./checks/attempt.ts";
import { evidenceText } from "./checks/evidence.ts";
import { fingerprintsOf } from "./checks/fingerprints.ts";
import { toResult } from "./checks/result.ts";
import { troubleOf } from "./checks/trouble.ts";
import { cancelled, noExpiration, noPing, noRegistry, noServiceList } from "./probe/probe.ts";
import type { ProbeTarget } from "./probe/probes.ts";

export interface EndpointContext {
  checker: Pick<Checker, "runManual">;
  location: string;
  id: string;
  /** Opens the secrets. @throws if the check cannot be run. */
  compile(check: Record<string, unknown>): Promise<ProbeTarget>;
  publish(result: CheckResult, urgent: boolean): void;
}

export function endpoints(ctx: EndpointContext): Handlers<typeof probesContract> {
  const { checker, location, id: runner } = ctx;
  return {
    // A failing check is a regular response. An error means that the runner could not run the check.
    async runCheck({ monitorId, version, check, timeoutMs, attempt, keepBody, confirms }, { signal }) {
      const target = await ctx.compile(check);
      const controller = new AbortController();
      signal.addEventListener("abort", () => controller.abort(cancelled), { once: true });
      const { startedAtMs, outcome } = await checker.runManual({
        target,
        timeoutMs,
        timedOutBefore: false,
        controller,
      });
      if (outcome.status === "none") throw checkFailed(outcome.trouble, location);
      // This runner may not dial the target, so it has no opinion.
      if (confirms !== undefined && outcome.error?.kind === "blocked") throw checkFailed("blocked", location);
      // The caller repeats a failed check, so all earlier attempts failed as well.
      const failures = outcome.status === "down" ? attempt : 0;
      const slotMs = startedAtMs;
      const result = toResult(
        { monitorId, version, location, runner, slotMs, startedAtMs, attempt, failures, manual: true, confirms },
        outcome,
        monitorId === 0 || confirms !== undefined
          ? undefined
          : evidenceText(outcome, keepBody, fingerprintsOf(outcome, startedAtMs)),
      );
      if (monitorId !== 0) ctx.publish(result, true);
      return presentCheck(result);
    },
  };
}

const messagesOfRunner: Readonly<Record<RunnerTrouble, Message>> = {
  names: "The probe runner at {location} cannot resolve names, so the target could not be checked",
  network: "The probe runner at {location} has no network connection, so the target could not be checked",
};
const messagesOfTrouble: Readonly<Record<string, Message>> = {
  [noCapacity]: "Too many manual checks are running, please try again in a few seconds",
  [noPing]:
    "The probe runner at {location} has no ping command or is not allowed to use it, so the target could not be checked",
  [noRegistry]: "The registry's RDAP service returned no usable response, so the domain could not be checked",
  [noExpiration]: "The registry does not publish when the domain expires, so the domain could not be checked",
  [noServiceList]:
    "The probe runner at {location} cannot load IANA's list of RDAP services, so the domain could not be checked",
};

function checkFailed(trouble: string, location: string): AppError {
  const kind = troubleOf(trouble);
  const message =
    (kind === undefined ? messagesOfTrouble[trouble] : messagesOfRunner[kind]) ??
    "The probe runner is not working properly, so the target could not be checked";
  return new AppError("unavailable", "Check failed", {
    cause: new Error(trouble),
    details: [{ path: "check", message, params: { location } }],
  });
}
