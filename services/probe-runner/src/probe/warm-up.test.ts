import { systemClock } from "@sonde/kit/time/clock";
import { expect, it } from "vitest";
import { warmUp } from "./warm-up.ts";

it("carries out whole checks before anything is due", async () => {
  expect(await warmUp(systemClock)).toBeGreaterThan(0);
});

it("lets a runner start where nothing can listen", async () => {
  // An address for documentation (RFC 5737), which no machine has.
  expect(await warmUp(systemClock, "203.0.113.1")).toBe(0);
});
