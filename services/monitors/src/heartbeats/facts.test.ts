import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { expect, test } from "vitest";
import { breachOf, withFacts } from "./facts.ts";
import type { HeartbeatState } from "./state.ts";

const check = (rules: object) => ({ type: "heartbeat", every: 60, grace: 300, ...rules }) as CheckOf<"heartbeat">;
const of20 = [...Array.from({ length: 10 }, () => 90), ...Array.from({ length: 10 }, () => 110)];

test.each([
  [{ rows: { min: 10 } }, { rows: 10 }, {}, null],
  [{ rows: { min: 10 } }, { rows: 9 }, {}, "9 rows, less than 10"],
  [{ rows: { min: 10 } }, {}, {}, null],
  [{ rows: { min: 10 } }, { files: 1 }, {}, null],
  [{ bytes: { max: 0.5 } }, { bytes: 0.75 }, {}, "0.75 bytes, more than 0.5"],
  [{ ms: { within: 20 } }, { ms: 80 }, { ms: of20 }, null],
  [{ ms: { within: 20 } }, { ms: 120 }, { ms: of20 }, null],
  [{ ms: { within: 20 } }, { ms: 79 }, { ms: of20 }, "79 ms, not within 20% of 100, the median of the last 20"],
  [{ ms: { within: 20 } }, { ms: 121 }, { ms: of20 }, "121 ms, not within 20% of 100, the median of the last 20"],
  [{ ms: { within: 20 } }, { ms: 500 }, { ms: [1, 2] }, null],
  [{ ms: { within: 20 } }, { ms: 5 }, { ms: [9, 1, 3] }, "5 ms, not within 20% of 3, the median of the last 3"],
  [{ rows: { within: 50 } }, { rows: 1 }, { rows: [0, 0, 0] }, "1 rows, not within 50% of 0, the median of the last 3"],
  [{ rows: { within: 50 } }, { rows: 0 }, { rows: [0, 0, 0] }, null],
  [{ rows: { min: 5 }, files: { max: 1 } }, { rows: 1, files: 2 }, {}, "1 rows, less than 5"],
] as [object, Record<string, number>, HeartbeatState["facts"], string | null][])(
  "rules %j, reported %j after %j: %s",
  (rules, reported, earlier, words) => {
    const error = breachOf(check(rules), reported, earlier);
    expect(error?.message ?? null).toBe(words && `The run reported ${words}`);
    if (error === undefined) return;
    expect(error.kind).toBe("failed");
    expect(explain(error.message, "zh-CN")).toMatch(/^任务上报/);
  },
);

test("the last 20 values of each known fact are kept", () => {
  let facts: HeartbeatState["facts"];
  for (let rows = 1; rows <= 25; rows++) facts = withFacts(facts, { rows, other: 1, ...(rows === 3 && { ms: 7 }) });
  expect(facts).toEqual({ rows: Array.from({ length: 20 }, (_, at) => at + 6), ms: [7] });
  expect(withFacts(facts, {})).toBe(facts);
});
