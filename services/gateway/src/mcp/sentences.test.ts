import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { expect, test } from "vitest";
import { describeMonitor } from "./sentences.ts";
import { sayIn } from "./words.ts";

const group = (fields: Record<string, unknown>) =>
  ({
    id: 12,
    type: "group",
    name: "Shop",
    target: "2 of 3",
    status: "up",
    state: "up",
    statusSince: "2026-01-31T12:00:00.000Z",
    stale: false,
    slow: false,
    counts: { up: 3, down: 0, ignored: 0 },
    needed: 2,
    ...fields,
  }) as unknown as Monitor;

test.each([
  [
    "partly down",
    { state: "partial", counts: { up: 2, down: 1, ignored: 0 } },
    "is up since 2026-01-31T12:00:00.000Z. 2 of 3 members are up, 2 needed.",
  ],
  [
    "down",
    { status: "down", counts: { up: 1, down: 2, ignored: 1 }, lastError: "1 of 3 members are up, 2 needed" },
    "is down since 2026-01-31T12:00:00.000Z: 1 of 3 members are up, 2 needed",
  ],
  [
    "without members that count",
    { status: "pending", counts: { up: 0, down: 0, ignored: 3 }, needed: 0 },
    "has no members with a state.",
  ],
  ["paused", { status: "paused" }, "is paused."],
])("a group that is %s is described by its members", (_state, fields, text) => {
  const say = sayIn("en-US");
  const sentence = describeMonitor(group(fields), say, "https://sonde.example.com");
  expect(sentence).toBe(`Monitor 12: Shop (2 of 3) ${text} https://sonde.example.com/monitors/12`);
});
