import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { createLog } from "@sonde/kit/service/log";
import { CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import { expect, test } from "vitest";
import { warnOfFutureResults } from "./results.ts";

test("results from the future are logged once a minute with their location and clock difference", () => {
  const logged: { location?: string; aheadSeconds?: number }[] = [];
  const clock = fakeClock();
  const warn = warnOfFutureResults(
    createLog("test", "info", { write: (line) => void logged.push(JSON.parse(line)) }),
    clock,
  );
  const nowMs = clock.now();
  const result = create(CheckResultSchema, { location: "eu1", slotMs: nowMs + 75_000, startedAtMs: nowMs + 75_400 });

  for (let second = 0; second < 60; second++, clock.advance(1_000)) warn(result, nowMs);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatchObject({ location: "eu1", aheadSeconds: 75 });
  warn(result, nowMs);
  expect(logged).toHaveLength(2);
});
