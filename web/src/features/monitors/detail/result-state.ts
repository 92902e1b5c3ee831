import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";

/** Why a monitor's state is not what a check by hand found; `outdated`: checks since then decided otherwise. */
export type Difference = "outdated" | "paused" | "flapping" | "locations" | "undecided";

/** Undefined where state and result agree. */
export function whyStateDiffers(
  { status, flapping, locations, lastCheckedAt }: Monitor,
  result: CheckResult,
): Difference | undefined {
  if (status === "paused") return "paused";
  if (status === result.status) return undefined;
  if (locations.length > 1) return "locations";
  if (lastCheckedAt !== null && Date.parse(lastCheckedAt) > Date.parse(result.startedAt)) return "outdated";
  return result.status === "up" && flapping ? "flapping" : "undecided";
}
