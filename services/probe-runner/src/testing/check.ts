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

/** A resolver that knows these names alone; `asked` counts its lookups. */
export function resolverOf(names: Record<string, Resolution | Promise<Resolution>>): Resolver & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve(host) {
      asked.push(host);
      return names[host] ?? { failure: "not_found", message: `${host} has no address` };
    },
    answeredSince: () => false,
    compare: async () => ({ others: 0, credible: true, lastFoundMs: Number.NEGATIVE_INFINITY }),
    close: () => undefined,
  };
}

await Promise.all(probedTypes.map(loadKind));

/** A check made ready, with its kind's defaults. */
export function targetOf(check: CheckDraft): ProbeTarget {
  return compileCheck(readCheck({ type: "http", ...check }));
}

/**
 * A time that runs out for a check once a server called `runsOut`, and what it sent before has arrived: what the system
 * hands over on loopback is read in the next turns of the loop.
 */
export function endingTime() {
  const controller = new AbortController();
  const runsOut = async () => {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    controller.abort("time is up");
  };
  return { signal: controller.signal, runsOut: () => void runsOut() };
}

/** Runs one HTTP check against the real network stack, by default with a GET for 200. */
export function check(
  url: string,
  changes: Partial<CheckOf<"http">> = {},
  world: CheckWorld = {},
): Promise<ProbeOutcome> {
  return probe({ url, ...changes }, world);
}

/**
 * Runs one check of any kind against the real network stack.
 * @throws Error if it failed for a reason that proto/http/reasons/reasons.ts does not have in Chinese
 */
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
  if (reason !== undefined && explain(reason, "zh-CN") === reason) throw new Error(`No Chinese words for: ${reason}`);
  return outcome;
}

/** The kind of a failed check's error; its status where it has none. */
export function kindOf(outcome: ProbeOutcome): string {
  return "error" in outcome && outcome.error !== undefined ? outcome.error.kind : outcome.status;
}
