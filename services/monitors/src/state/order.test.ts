import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { expect, test } from "vitest";
import { resultOf, slot, trackedMonitor } from "../testing/tracked.ts";
import { decide } from "./decide.ts";
import type { TrackedMonitor } from "./tracked.ts";

/** Mulberry32 (public domain, Tommy Ettinger): deterministic for a seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const tracked = () => trackedMonitor({ locations: ["a", "b", "c"] });

function replay(results: readonly CheckResult[]): { states: string[]; monitor: TrackedMonitor } {
  const monitor = tracked();
  const states: string[] = [];
  for (const result of results) {
    const decision = decide(monitor, result, result.startedAtMs + 500);
    if (decision.ignored !== undefined) continue;
    monitor.locationStates.set(result.location, decision.locationState);
    if (decision.status !== monitor.status) states.push(`${decision.status} ${decision.locationState.checkedAtMs}`);
    monitor.status = decision.status;
  }
  return { states, monitor };
}

test("repeated results, anywhere in the stream, lead to the same states", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = random(seed);
    const results = Array.from({ length: 60 }, (_, index) => {
      const number = Math.floor(index / 3);
      const down = next() < 0.4;
      const location = tracked().locations[index % 3] ?? "";
      const startedAtMs = slot(number) + Math.floor(next() * 3_000);
      return resultOf(number, { location, startedAtMs, status: down ? "down" : "up" });
    });
    const plain = replay(results);
    const repeated = results.flatMap((result, index) => {
      const again = results[Math.floor(next() * (index + 1))];
      return again === undefined || next() < 0.3 ? [result] : [result, again, result];
    });
    expect(replay(repeated)).toEqual(plain);
  }
});
