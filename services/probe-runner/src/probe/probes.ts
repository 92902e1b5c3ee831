import { probeHttp } from "./http.ts";
import type { Outcome, ProbeContext } from "./outcome.ts";
import type { HttpTarget } from "./target.ts";

/** Everything that can be probed. A new kind is its own file and one line here. */
export type Target = HttpTarget;
export type Kind = Target["kind"];
export type Probe<T extends Target> = (target: T, ctx: ProbeContext) => Promise<Outcome>;

export const probes: { [K in Kind]: Probe<Extract<Target, { kind: K }>> } = { http: probeHttp };

/** Runs the probe that fits the target. Never throws; the caller owns the deadline. */
export function runProbe(target: Target, ctx: ProbeContext): Promise<Outcome> {
  return probes[target.kind](target, ctx);
}
