import { setImmediate } from "node:timers/promises";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { endlessPatience } from "@sonde/kit/testing/patience";
import { createGuard, type EgressGuard } from "@sonde/kit/egress/guard";
import { type Resolution, createResolver, type Resolver } from "@sonde/kit/egress/resolver";
import { type CheckDraft, type CheckOf, probedTypes, readCheck } from "@sonde/proto/http/monitors/kinds";
import { explain } from "@sonde/proto/http/reasons/reasons";
import type { ProbeOutcome } from "../probe/probe.ts";
import { createJudging, type AssertionJudge } from "../probe/judging.ts";
import { compileCheck, loadKind, runProbe, type ProbeTarget } from "../probe/probes.ts";

export interface CheckWorld {
  timeoutMs?: number;
  signal?: AbortSignal;
  clock?: Clock;
  judging?: AssertionJudge;
  guard?: EgressGuard;
  resolver?: Resolver;
}

export function resolverOf(names: Record<string, Resolution | Promise<Resolution>>): Resolver & { queries: string[] } {
  const queries: string[] = [];
  return {
    queries,
    resolve(host) {
      queries.push(host);
      return names[host] ?? { failure: "not_found", message: `${host} has no address` };
    },
    answeredSince: () => false,
    servers: () => "192.0.2.53",
    originOf: async () => undefined,
    compare: async () => ({ others: 0, credible: true, lastFoundMs: Number.NEGATIVE_INFINITY }),
    close: () => undefined,
  };
}

await Promise.all(probedTypes.map(loadKind));

export function targetOf(check: CheckDraft): ProbeTarget {
  return compileCheck(readCheck({ type: "http", ...check }));
}

/** A timeout that fires after `runsOut` was called and the data sent before has arrived. */
export function endingTime() {
  const controller = new AbortController();
  const runsOut = async () => {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    controller.abort("time is up");
  };
  return { signal: controller.signal, runsOut: () => void runsOut() };
}

/** Runs an HTTP check against the real network stack; by default GET, expecting 200. */
export function check(
  url: string,
  changes: Partial<CheckOf<"http">> = {},
  world: CheckWorld = {},
): Promise<ProbeOutcome> {
  return probe({ url, ...changes }, world);
}

/** @throws Error if it failed with a message that proto/http/reasons/reasons.ts does not translate */
export async function probe(draft: CheckDraft, world: CheckWorld = {}): Promise<ProbeOutcome> {
  const outcome = await runProbe(targetOf(draft), {
    signal: world.signal ?? AbortSignal.timeout(world.timeoutMs ?? 60_000),
    clock: world.clock ?? systemClock,
    ...(world.timeoutMs !== undefined && { timeoutMs: world.timeoutMs }),
    judging: world.judging ?? createJudging(world.clock ?? systemClock, undefined, endlessPatience),
    guard: world.guard ?? createGuard(),
    resolver: world.resolver ?? createResolver(),
  });
  const reason = "error" in outcome ? outcome.error?.message : undefined;
  if (reason !== undefined && explain(reason, "zh-CN") === reason)
    throw new Error(`No Chinese translation of: ${reason}`);
  return outcome;
}

export function kindOf(outcome: ProbeOutcome): string {
  return "error" in outcome && outcome.error !== undefined ? outcome.error.kind : outcome.status;
}
