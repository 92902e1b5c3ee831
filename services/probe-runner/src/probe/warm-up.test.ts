import { systemClock } from "@sonde/kit/time/clock";
import { expect, it } from "vitest";
import { warmUp } from "./warm-up.ts";

it("runs complete checks before anything is due", async () => {
  expect(await warmUp(systemClock)).toBeGreaterThan(0);
});

it("allows a runner to start if nothing can listen", async () => {
  // A documentation address (RFC 5737), which no machine has.
  expect(await warmUp(systemClock, "203.0.113.1")).toBe(0);
});
