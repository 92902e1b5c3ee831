import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { createGuard, type EgressGuard } from "@sonde/kit/egress/guard";
import { type Answer, createResolver, type Resolver } from "@sonde/kit/egress/resolver";
import type { Outcome } from "../probe/outcome.ts";
import { createJudging, type Judging } from "../probe/judging.ts";
import { runProbe } from "../probe/probes.ts";
import { compileHttp, type HttpCheck } from "../probe/target.ts";

export interface CheckWorld {
  timeoutMs?: number;
  signal?: AbortSignal;
  clock?: Clock;
  judging?: Judging;
  guard?: EgressGuard;
  resolver?: Resolver;
}

/** A resolver that knows these names alone; `asked` counts its lookups. */
export function resolverOf(names: Record<string, Answer | Promise<Answer>>): Resolver & { asked: string[] } {
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

/** Runs one check against the real network stack, with a GET for 200 unless told otherwise. */
export function check(url: string, changes: Partial<HttpCheck> = {}, world: CheckWorld = {}): Promise<Outcome> {
  const target = compileHttp({
    url,
    method: "GET",
    headers: [],
    expectedStatus: "200",
    followRedirects: true,
    verifyTls: true,
    assertions: [],
    ...changes,
  });
  return runProbe(target, {
    signal: world.signal ?? AbortSignal.timeout(world.timeoutMs ?? 5000),
    clock: world.clock ?? systemClock,
    judging: world.judging ?? createJudging(world.clock ?? systemClock),
    guard: world.guard ?? createGuard(),
    resolver: world.resolver ?? createResolver(),
  });
}

/** The kind of a failed check's error; its status where it has none. */
export function kindOf(outcome: Outcome): string {
  return "error" in outcome && outcome.error !== undefined ? outcome.error.kind : outcome.status;
}
