import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { describe, expect, test } from "vitest";
import { decide, silenceMs } from "./decide.ts";
import { readSample, type ReceivedSample } from "./samples.ts";
import { defaultLimits } from "./thresholds.ts";
import type { TrackedAgent } from "./tracked.ts";

const nowMs = 1_800_000_000_000;
const intervalMs = 10_000;

const agent = (more: Partial<TrackedAgent> = {}): TrackedAgent => ({
  id: 7,
  intervalMs,
  status: "connecting",
  statusSinceMs: nowMs - 60_000,
  stateStream: "",
  stateMark: 0,
  reading: null,
  open: new Set(),
  ...more,
});

type Given = { atMs?: number; receivedAtMs?: number; bootId?: string; sequence?: number; intervalSeconds?: number };
function sample({ atMs = nowMs, receivedAtMs = nowMs, intervalSeconds, ...identity }: Given = {}): ReceivedSample {
  const message = create(SampleSchema, { at: timestampFromMs(atMs), ...identity });
  const bytes = toBinary(SampleSchema, message);
  return { agentId: 7, receivedAtMs, skewMs: 0, intervalSeconds, sample: readSample(bytes), bytes };
}

function after(first: Given, second: Given) {
  const decision = decide(agent(), sample(first), defaultLimits);
  if (decision.ignored !== undefined) throw new Error(decision.ignored);
  const online = agent({ status: "online", reading: decision.reading });
  return decide(online, sample(second), defaultLimits).ignored ?? "applied";
}

describe("the first sample", () => {
  test("changes a connecting agent to online", () => {
    expect(decide(agent(), sample(), defaultLimits)).toMatchObject({ comesOnline: true });
  });

  test("changes an offline agent to online, and does not change an online one", () => {
    expect(decide(agent({ status: "offline" }), sample(), defaultLimits)).toMatchObject({ comesOnline: true });
    expect(decide(agent({ status: "online" }), sample(), defaultLimits)).toMatchObject({ comesOnline: false });
  });
});

describe("only fresh samples change the present state", () => {
  test("younger than two intervals or a minute when received", () => {
    expect(decide(agent(), sample({ atMs: nowMs - 60_000 }), defaultLimits).ignored).toBeUndefined();
    expect(decide(agent(), sample({ atMs: nowMs - 60_001 }), defaultLimits).ignored).toBe("late");
    const slow = agent({ intervalMs: 300_000 });
    expect(decide(slow, sample({ atMs: nowMs - 600_000 }), defaultLimits).ignored).toBeUndefined();
    expect(decide(slow, sample({ atMs: nowMs - 600_001 }), defaultLimits).ignored).toBe("late");
  });

  test("by the interval in the report, not an outdated one", () => {
    const given = sample({ atMs: nowMs - 500_000, intervalSeconds: 300 });
    expect(decide(agent(), given, defaultLimits).ignored).toBeUndefined();
  });

  test("not more than a minute ahead", () => {
    expect(decide(agent(), sample({ atMs: nowMs + 60_001 }), defaultLimits).ignored).toBe("early");
  });
});

describe("a sample counts once", () => {
  test("by boot and sequence", () => {
    const first = { bootId: "b", sequence: 5 };
    expect(after(first, first)).toBe("seen");
    expect(after(first, { bootId: "b", sequence: 4, atMs: nowMs - 1000 })).toBe("seen");
    expect(after(first, { bootId: "b", sequence: 6 })).toBe("applied");
  });

  test("by its time without a sequence", () => {
    expect(after({}, {})).toBe("seen");
    expect(after({}, { atMs: nowMs - 1 })).toBe("seen");
    expect(after({}, { atMs: nowMs + 1 })).toBe("applied");
  });

  test("even if the clock steps back or the sequence restarts", () => {
    expect(after({ bootId: "b", sequence: 5 }, { bootId: "b", sequence: 6, atMs: nowMs - 30_000 })).toBe("applied");
    expect(after({ bootId: "b", sequence: 5 }, { bootId: "b", sequence: 1, atMs: nowMs + 10_000 })).toBe("applied");
    expect(after({ bootId: "b", sequence: 5 }, { bootId: "c", sequence: 0, atMs: nowMs + 10_000 })).toBe("applied");
  });
});

test("an agent is offline after three intervals, and never before thirty seconds", () => {
  expect([silenceMs(1000), silenceMs(10_000), silenceMs(15_000), silenceMs(300_000)]).toEqual([
    30_000, 30_000, 45_000, 900_000,
  ]);
});
